import { changeRole } from '../../members/members.ts'
import { countOwners, memberIdOf, roles } from '../../members/records.ts'
import { mayManage, rolesGrantedBy } from '../../members/roles.ts'
import type { HttpResponse } from '../../operation.ts'
import { instantOf, requireManager, type WorkspaceContext, within } from '../context.ts'
import { readForm } from '../form.ts'
import { incompleteForm } from '../once.ts'
import { paths } from '../paths.ts'
import { htmlResponse, redirect } from '../responses.ts'
import { draftOf } from '../sign-in/return.ts'
import { changeMembers, memberAt, ownersOnly } from './change.ts'
import { memberPage } from './member-page.ts'

export async function showMember(context: WorkspaceContext): Promise<HttpResponse> {
  const { store, workspace, chrome, session } = context
  requireManager(workspace)
  const { found, owners } = await store.read(async (tx) => ({
    found: await memberAt(context, tx),
    owners: await countOwners(tx, workspace.workspaceId),
  }))
  if (!mayManage(workspace.role, found.role)) throw ownersOnly(workspace.slug)
  const member = { ...found, id: memberIdOf(found), isSelf: found.email === session.email, isManaged: true }
  const role = draftOf(context)?.get('role') ?? member.role
  const isLastOwner = member.role === 'owner' && owners === 1
  return htmlResponse(200, memberPage({ chrome, member, role, roles: rolesGrantedBy(workspace.role), isLastOwner }))
}

export async function setRole(context: WorkspaceContext): Promise<HttpResponse> {
  const { workspace, chrome, memberId } = context
  requireManager(workspace)
  const form = await readForm(context, chrome.csrf)
  const role = roles.find((one) => one === form.get('role'))
  if (role === undefined) throw incompleteForm('Choose a role.')
  await changeMembers(context, async (tx, manager) => {
    const { email } = await memberAt(context, tx)
    await changeRole(within(tx), workspace.slug, { email, role }, manager, instantOf(context, tx))
  })
  return redirect(`${paths.members(workspace.slug)}?changed=${encodeURIComponent(memberId)}`)
}
