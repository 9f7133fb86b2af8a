import { currentMembership } from '../../members/sessions.ts'
import { endSignIn, signInsOf } from '../../members/sign-ins.ts'
import type { HttpResponse } from '../../operation.ts'
import type { WorkspaceContext } from '../context.ts'
import { readForm } from '../form.ts'
import { paths } from '../paths.ts'
import { htmlResponse, pageNotFound, redirect } from '../responses.ts'
import { signInsPage } from './sign-ins-page.ts'

export async function showSignIns({
  store,
  session,
  workspace,
  chrome,
  request,
}: WorkspaceContext): Promise<HttpResponse> {
  const signIns = await store.read((tx) => signInsOf(tx, session, workspace.workspaceId))
  return htmlResponse(200, signInsPage({ chrome, signIns, hasEnded: request.query.has('ended') }))
}

export async function endOtherSession(context: WorkspaceContext): Promise<HttpResponse> {
  const { store, session, workspace, chrome } = context
  const form = await readForm(context, chrome.csrf)
  await store.transaction(async (tx) => {
    if ((await currentMembership(tx, session, workspace.workspaceId)) === undefined) throw pageNotFound()
    await endSignIn(tx, session, form.get('id') ?? '')
  })
  return redirect(`${paths.signIns(workspace.slug)}?ended=1`)
}
