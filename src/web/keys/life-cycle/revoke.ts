import type { KeyDetail } from '../../../keys/detail.ts'
import type { KeyOverview } from '../../../keys/overview.ts'
import { html, type Part, quoted } from '../../../lib/html.ts'
import type { HttpResponse } from '../../../operation.ts'
import { requireManager, type WorkspaceContext } from '../../context.ts'
import { readForm } from '../../form.ts'
import { icon } from '../../layout/icon.ts'
import { type Chrome, csrfField, heading, page } from '../../layout/page.ts'
import { momentTime } from '../../layout/time.ts'
import { paths } from '../../paths.ts'
import { htmlResponse, redirect } from '../../responses.ts'
import { changeKey, readWorkingKey } from '../change.ts'
import { keyFacts } from '../key-parts.ts'

export async function showRevokeKeyForm(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  const key = await readWorkingKey(context)
  return htmlResponse(200, revokeKeyPage({ chrome: context.chrome, key }))
}

export async function revokeKey(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  await readForm(context, context.chrome.csrf)
  await changeKey(context, (keys) => keys.revoke(context.keyId))
  return redirect(`${paths.keys(context.workspace.slug)}?revoked=${encodeURIComponent(context.keyId)}`)
}

/** GET …/keys/<id>/revoke. POST answers 303 to the list with a notice. */
export interface RevokeKeyModel {
  chrome: Chrome
  key: Pick<KeyDetail, 'predecessor'> & KeyOverview
}

export function revokeKeyPage({ chrome, key }: RevokeKeyModel): string {
  const { slug } = chrome.workspace
  const keys = paths.keys(slug)
  const body = html`${heading({ title: html`Revoke ${quoted(key.label)}?`, lead: 'Whatever uses this key is refused from its next request on. This cannot be undone.', back: { href: keys, text: 'API keys' } })}
${strandedNotice(key, chrome)}
<form class="form panel" method="post" action="${paths.revoke(slug, key.id)}">${csrfField(chrome)}
${keyFacts(key, chrome)}
<div class="buttons"><button class="button destructive" data-pending="Revoking…">Revoke key</button><a class="button" href="${keys}">Keep it</a></div></form>`
  return page(chrome, { title: `Revoke ${key.label}`, section: 'keys', body })
}

/** Whoever revokes the key that was to take over should know that the old one still ends. */
function strandedNotice({ predecessor }: RevokeKeyModel['key'], chrome: Chrome): Part {
  if (predecessor?.state.kind !== 'rotating') return null
  const cancel = html`<a href="${paths.cancelRotation(chrome.workspace.slug, predecessor.id)}">Cancel that rotation</a>`
  return html`<p class="notice warn">${icon('warning')}<span>This key is to take over from ${quoted(predecessor.label)} (<code>${predecessor.prefix}…</code>), which works until ${momentTime(predecessor.state.until, chrome)} only. ${cancel} instead if the old key should go on: that revokes this one too.</span></p>`
}
