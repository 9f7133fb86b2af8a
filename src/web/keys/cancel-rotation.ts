import { KeyChangeError } from '../../keys/change-error.ts'
import type { HttpResponse } from '../../operation.ts'
import { requireManager, type WorkspaceContext } from '../context.ts'
import { readForm } from '../form.ts'
import { paths } from '../paths.ts'
import { htmlResponse, redirect } from '../responses.ts'
import { cancelRotationPage } from './cancel-rotation-page.ts'
import { changeKey, readWorkingKey } from './change.ts'

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
