import type { HttpResponse } from '../../operation.ts'
import { requireManager, type WorkspaceContext } from '../context.ts'
import { readForm } from '../form.ts'
import { paths } from '../paths.ts'
import { htmlResponse, redirect } from '../responses.ts'
import { changeKey, readWorkingKey } from './change.ts'
import { revokeKeyPage } from './revoke-page.ts'

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
