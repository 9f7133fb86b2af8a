import { KeyChangeError } from '../../../keys/change-error.ts'
import type { KeyDetail } from '../../../keys/detail.ts'
import { type Html, html, type Part, quoted } from '../../../lib/html.ts'
import type { HttpResponse } from '../../../operation.ts'
import { requireManager, type WorkspaceContext } from '../../context.ts'
import { readForm } from '../../form.ts'
import { type Chrome, csrfField, heading, page } from '../../layout/page.ts'
import { lastDay, relativeTime } from '../../layout/time.ts'
import { paths } from '../../paths.ts'
import { htmlResponse, redirect } from '../../responses.ts'
import { changeKey, readWorkingKey } from '../change.ts'
import { workingSuccessor } from '../key/advice.ts'
import { keyFacts } from '../key-parts.ts'
import { leakNotice } from './rotate.ts'

export async function showCancelRotationForm(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  const key = await readWorkingKey(context)
  // A paused key is shown as paused, and may be in rotation too.
  if (key.state.kind !== 'rotating' && key.retiresAt === null) return redirect(pathAfter(context))
  return htmlResponse(200, cancelRotationPage({ chrome: context.chrome, key }))
}

/** Sent twice, or from two tabs, it is done once, and both responses say so. */
export async function cancelRotation(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  await readForm(context, context.chrome.csrf)
  try {
    await changeKey(context, (keys) => keys.cancelRotation(context.keyId))
  } catch (error) {
    const isDone = error instanceof KeyChangeError && error.reason === 'not_rotating'
    if (!isDone) throw error
  }
  return redirect(pathAfter(context))
}

const pathAfter = ({ workspace, keyId }: WorkspaceContext) =>
  `${paths.key(workspace.slug, keyId)}?done=rotation-cancelled`

/** GET …/keys/<id>/cancel-rotation. POST answers 303 to the key's page with a notice. */
export interface CancelRotationModel {
  chrome: Chrome
  key: KeyDetail
}

export function cancelRotationPage({ chrome, key }: CancelRotationModel): string {
  const { slug } = chrome.workspace
  const keys = paths.keys(slug)
  const own =
    key.expiresAt === null ? 'it does not expire' : html`until its own expiry, ${lastDay(key.expiresAt, chrome)}`
  const lead = html`It goes on as before the rotation: ${own}. ${fateOfSuccessor(key, chrome)}`
  const body = html`${heading({ title: html`Cancel the rotation of ${quoted(key.label)}?`, lead, back: { href: keys, text: 'API keys' } })}
${leakNotice(key, chrome)}
<form class="form panel" method="post" action="${paths.cancelRotation(slug, key.id)}">${csrfField(chrome)}
${keyFacts(key, chrome)}
<div class="buttons"><button class="button destructive" data-pending="Cancelling…">Cancel the rotation</button><a class="button" href="${paths.key(slug, key.id)}">Go on rotating</a></div></form>`
  return page(chrome, { title: `Cancel the rotation of ${key.label}`, section: 'keys', body })
}

function fateOfSuccessor(key: KeyDetail, chrome: Chrome): Html {
  const successor = workingSuccessor(key)
  if (successor === undefined) return html`The key that was to take over no longer works already.`
  const use: Part =
    successor.lastUsedAt === null
      ? 'It was never used.'
      : html`<strong>It was last used ${relativeTime(successor.lastUsedAt, chrome)}:</strong> whatever uses it is refused from its next request on.`
  return html`The new key ${quoted(successor.label)} (<code>${successor.prefix}…</code>) is revoked. ${use}`
}
