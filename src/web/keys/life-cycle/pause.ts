import type { KeyOverview } from '../../../keys/overview.ts'
import { html, quoted } from '../../../lib/html.ts'
import type { HttpResponse } from '../../../operation.ts'
import type { WorkspaceContext } from '../../context.ts'
import { formPage, type PageFrame } from '../../layout/page.ts'
import { paths } from '../../paths.ts'
import { htmlResponse, redirect } from '../../responses.ts'
import { changeAndShow, readWorkingKey } from '../change.ts'
import { keyFacts } from '../key-parts.ts'

export async function showPauseKeyForm(context: WorkspaceContext): Promise<HttpResponse> {
  const key = await readWorkingKey(context)
  if (key.state.kind === 'paused') return redirect(paths.key(context.workspace.slug, key.id))
  return htmlResponse(200, pauseKeyPage(context.frame, key))
}

export function pauseKeyPage(frame: PageFrame, key: KeyOverview): string {
  const href = paths.key(frame.workspace.slug, key.id)
  return formPage(frame, {
    title: `Pause ${key.label}`,
    section: 'keys',
    heading: html`Pause ${quoted(key.label)}?`,
    lead: 'Requests with this key are refused from the next one on, with the same response as for a revoked key (401), until you resume it. The key itself and its expiry date stay as they are.',
    back: { href, text: key.label },
    action: paths.pause(frame.workspace.slug, key.id),
    fields: keyFacts(key, frame),
    button: { text: 'Pause key', pending: 'Pausing…' },
    cancel: { href, text: 'Keep it working' },
  })
}

export const pauseKey = (context: WorkspaceContext): Promise<HttpResponse> =>
  changeAndShow(context, 'paused', (keys) => keys.pause(context.keyId))

export const resumeKey = (context: WorkspaceContext): Promise<HttpResponse> =>
  changeAndShow(context, 'resumed', (keys) => keys.resume(context.keyId))
