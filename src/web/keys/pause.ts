import { KeyChangeError } from '../../keys/change-error.ts'
import type { Keys } from '../../keys/life-cycle.ts'
import type { HttpResponse } from '../../operation.ts'
import { requireManager, type WorkspaceContext } from '../context.ts'
import { readForm } from '../form.ts'
import { paths } from '../paths.ts'
import { htmlResponse, redirect } from '../responses.ts'
import { changeKey, readWorkingKey } from './change.ts'
import { pauseKeyPage } from './pause-page.ts'

export async function showPauseKeyForm(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  const key = await readWorkingKey(context)
  if (key.state.kind === 'paused') return redirect(paths.key(context.workspace.slug, key.id))
  return htmlResponse(200, pauseKeyPage({ chrome: context.chrome, key }))
}

export const pauseKey = (context: WorkspaceContext): Promise<HttpResponse> =>
  change(context, 'paused', (keys) => keys.pause(context.keyId))

export const resumeKey = (context: WorkspaceContext): Promise<HttpResponse> =>
  change(context, 'resumed', (keys) => keys.resume(context.keyId))

/** Sent twice, or from two tabs, it is done once, and both responses say so. */
async function change(
  context: WorkspaceContext,
  done: 'paused' | 'resumed',
  work: (keys: Keys) => Promise<unknown>,
): Promise<HttpResponse> {
  requireManager(context.workspace)
  await readForm(context, context.chrome.csrf)
  try {
    await changeKey(context, work)
  } catch (error) {
    const isDone = error instanceof KeyChangeError && (error.reason === 'paused' || error.reason === 'not_paused')
    if (!isDone) throw error
  }
  return redirect(`${paths.key(context.workspace.slug, context.keyId)}?done=${done}`)
}
