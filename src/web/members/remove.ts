import { removeMember } from '../../members/members.ts'
import { memberIdOf } from '../../members/records.ts'
import { mayManage } from '../../members/roles.ts'
import type { HttpResponse } from '../../operation.ts'
import { instantOf, requireManager, type WorkspaceContext, within } from '../context.ts'
import { readForm } from '../form.ts'
import { paths } from '../paths.ts'
import { htmlResponse, redirect } from '../responses.ts'
import { changeMembers, memberAt, ownersOnly } from './change.ts'
import { removeMemberPage } from './remove-page.ts'

/** Everybody may remove themselves. */
const isForSelf = ({ session, memberId }: WorkspaceContext): boolean => memberIdOf(session) === memberId

export async function showRemoveForm(context: WorkspaceContext): Promise<HttpResponse> {
  const { store, workspace, chrome } = context
  const isSelf = isForSelf(context)
  if (!isSelf) requireManager(workspace)
  const member = await store.read((tx) => memberAt(context, tx))
  if (!isSelf && !mayManage(workspace.role, member.role)) throw ownersOnly(workspace.slug)
  return htmlResponse(
    200,
    removeMemberPage({ chrome, member: { id: memberIdOf(member), email: member.email, isSelf } }),
  )
}

export async function remove(context: WorkspaceContext): Promise<HttpResponse> {
  const { workspace, session, chrome, cookies } = context
  const isSelf = isForSelf(context)
  if (!isSelf) requireManager(workspace)
  await readForm(context, chrome.csrf)
  await changeMembers(
    context,
    async (tx, manager) => {
      const { email } = await memberAt(context, tx)
      await removeMember(within(tx), workspace.slug, email, manager, instantOf(context, tx))
    },
    { isForSelf: isSelf },
  )
  if (!isSelf) return redirect(`${paths.members(workspace.slug)}?removed=1`)
  // Without another workspace, the session has ended with the membership.
  if (session.memberships.length > 1) return redirect(paths.home)
  return redirect(`${paths.signIn}?notice=left`, cookies.clear('session'))
}
