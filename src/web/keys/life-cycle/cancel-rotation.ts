import type { KeyDetail } from '../../../keys/detail.ts'
import { type Html, html, quoted } from '../../../lib/html.ts'
import type { HttpResponse } from '../../../operation.ts'
import type { WorkspaceContext } from '../../context.ts'
import { formPage, type PageFrame } from '../../layout/page.ts'
import { lastDay, relativeTime } from '../../layout/time.ts'
import { paths } from '../../paths.ts'
import { htmlResponse, redirect } from '../../responses.ts'
import { changeAndShow, readWorkingKey } from '../change.ts'
import { workingSuccessor } from '../key/advice.ts'
import { keyFacts } from '../key-parts.ts'
import { leakNotice } from './rotate.ts'

export async function showCancelRotationForm(context: WorkspaceContext): Promise<HttpResponse> {
  const key = await readWorkingKey(context)
  // A paused key is shown as paused, and may be in rotation too.
  if (key.state.kind !== 'rotating' && key.retiresAt === null)
    return redirect(`${paths.key(context.workspace.slug, key.id)}?done=rotation-cancelled`)
  return htmlResponse(200, cancelRotationPage(context.frame, key))
}

export const cancelRotation = (context: WorkspaceContext): Promise<HttpResponse> =>
  changeAndShow(context, 'rotation-cancelled', (keys) => keys.cancelRotation(context.keyId))

export function cancelRotationPage(frame: PageFrame, key: KeyDetail): string {
  const { slug } = frame.workspace
  const end =
    key.expiresAt === null ? 'it does not expire' : html`until its own expiry, ${lastDay(key.expiresAt, frame)}`
  return formPage(frame, {
    title: `Cancel the rotation of ${key.label}`,
    section: 'keys',
    heading: html`Cancel the rotation of ${quoted(key.label)}?`,
    lead: html`It continues to work as before the rotation: ${end}. ${fateOfSuccessor(key, frame)}`,
    back: { href: paths.keys(slug), text: 'API keys' },
    notices: leakNotice(key, frame),
    action: paths.cancelRotation(slug, key.id),
    fields: keyFacts(key, frame),
    button: { text: 'Cancel the rotation', pending: 'Cancelling…', isDestructive: true },
    cancel: { href: paths.key(slug, key.id), text: 'Continue rotating' },
  })
}

function fateOfSuccessor(key: KeyDetail, frame: PageFrame): Html {
  const successor = workingSuccessor(key)
  if (successor === undefined) return html`The key that was to take over has already stopped working.`
  const use =
    successor.lastUsedAt === null
      ? 'It was never used.'
      : html`<strong>It was last used ${relativeTime(successor.lastUsedAt, frame)}:</strong> requests with it are refused from the next one on.`
  return html`The new key ${quoted(successor.label)} (<code>${successor.prefix}…</code>) is revoked. ${use}`
}
