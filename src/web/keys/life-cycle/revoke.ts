import type { KeyDetail } from '../../../keys/detail.ts'
import type { KeyOverview } from '../../../keys/overview.ts'
import { html, type Part, quoted } from '../../../lib/html.ts'
import type { HttpResponse } from '../../../operation.ts'
import type { WorkspaceContext } from '../../context.ts'
import { icon } from '../../layout/icon.ts'
import { formPage, type PageFrame } from '../../layout/page.ts'
import { momentTime } from '../../layout/time.ts'
import { paths } from '../../paths.ts'
import { htmlResponse, redirect } from '../../responses.ts'
import { changeKey, readWorkingKey } from '../change.ts'
import { keyFacts } from '../key-parts.ts'

export async function showRevokeKeyForm(context: WorkspaceContext): Promise<HttpResponse> {
  return htmlResponse(200, revokeKeyPage(context.frame, await readWorkingKey(context)))
}

export async function revokeKey(context: WorkspaceContext): Promise<HttpResponse> {
  await changeKey(context, (keys) => keys.revoke(context.keyId))
  return redirect(`${paths.keys(context.workspace.slug)}?revoked=${encodeURIComponent(context.keyId)}`)
}

type RevocableKey = Pick<KeyDetail, 'predecessor'> & KeyOverview

export function revokeKeyPage(frame: PageFrame, key: RevocableKey): string {
  const { slug } = frame.workspace
  return formPage(frame, {
    title: `Revoke ${key.label}`,
    section: 'keys',
    heading: html`Revoke ${quoted(key.label)}?`,
    lead: 'Requests with this key are refused from the next one on. This cannot be undone.',
    back: { href: paths.keys(slug), text: 'API keys' },
    notices: strandedNotice(key, frame),
    action: paths.revoke(slug, key.id),
    fields: keyFacts(key, frame),
    button: { text: 'Revoke key', pending: 'Revoking…', isDestructive: true },
    cancel: { href: paths.keys(slug), text: 'Keep it' },
  })
}

/** For a key that was to take over: the old one still ends. */
function strandedNotice({ predecessor }: RevocableKey, frame: PageFrame): Part {
  if (predecessor?.state.kind !== 'rotating') return null
  const cancel = html`<a href="${paths.cancelRotation(frame.workspace.slug, predecessor.id)}">cancel that rotation</a>`
  return html`<p class="notice warn">${icon('warning')}<span>This key is to take over from ${quoted(predecessor.label)} (<code>${predecessor.prefix}…</code>), which works only until ${momentTime(predecessor.state.until, frame)}. If the old key should continue to work, ${cancel} instead: that revokes this one too.</span></p>`
}
