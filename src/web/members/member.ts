import { changeRole, removeMember } from '../../members/members.ts'
import { countOwners, type MemberRecord, memberIdOf, roles } from '../../members/records.ts'
import { mayManage } from '../../members/roles.ts'
import { requireRole, type WorkspaceContext, type WorkspaceHandler } from '../context.ts'
import { redirectWithNotice } from '../flash.ts'
import { incompleteForm } from '../form.ts'
import { html, isolated, type Part } from '../html.ts'
import { csrfField } from '../layout/field.ts'
import { formPage, type PageFrame, page } from '../layout/page.ts'
import { dateTime } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { htmlResponse, redirect } from '../responses.ts'
import { changeMembers, memberAt, ownersOnly, roleChanged } from './change.ts'
import { linkButtons, roleField } from './invite.ts'
import { roleText, signedInText } from './list.ts'

interface MemberModel {
  frame: PageFrame
  member: MemberRecord
  /** The member's current role, or the one that was selected before the session ended. */
  role: string
  isLastOwner: boolean
  hasMail: boolean
}

export const showMember: WorkspaceHandler = async (context) => {
  const { store, workspace, frame, mail } = context
  const { member, owners } = await store.read(async (tx) => ({
    member: await memberAt(context, tx),
    owners: await countOwners(tx, workspace.workspaceId),
  }))
  if (!mayManage(workspace.role, member.role)) throw ownersOnly(workspace.slug)
  const role = context.draft?.get('role') ?? member.role
  const isLastOwner = member.role === 'owner' && owners === 1
  return htmlResponse(200, memberPage({ frame, member, role, isLastOwner, hasMail: mail !== undefined }))
}

export const setRole: WorkspaceHandler = async (context, form) => {
  const { workspace } = context
  const role = roles.find((one) => one === form.get('role'))
  if (role === undefined) throw incompleteForm('Choose a role.')
  const about = await changeMembers(context, 'manager', async (tx, manager) => {
    const member = await memberAt(context, tx)
    const { email, role: current } = member
    if (![role, form.get('opened') ?? current].includes(current)) throw roleChanged(workspace.slug, member)
    await changeRole(tx, workspace.slug, { email, role }, manager)
    return `${email} is now ${roleText[role].article}`
  })
  return redirectWithNotice(context, paths.members(workspace.slug), 'role-changed', { about })
}

export function memberPage(model: MemberModel): string {
  const { frame, member } = model
  const lead = html`Added ${dateTime(member.addedAt, frame)}. Last signed in: ${signedInText(member, frame)}.`
  const body = model.isLastOwner ? lastOwner(member.email === frame.email) : changes(model)
  const back = { href: paths.members(frame.workspace.slug), text: 'Members' }
  return page(frame, { title: member.email, heading: isolated(member.email), lead, back, body })
}

const lastOwner = (isSelf: boolean) =>
  html`<section class="panel part" aria-labelledby="only"><h2 id="only">The only owner</h2>
<p>A workspace always has an owner. To change ${isSelf ? 'your own role, or to leave' : 'this role, or to remove them'}, make someone else an owner first.</p></section>`

function changes({ frame, member, role, hasMail }: MemberModel): Part {
  const { slug } = frame.workspace
  const id = memberIdOf(member)
  const isSelf = member.email === frame.email
  return html`<form class="form panel" method="post" action="${paths.member(slug, id, 'role')}">${csrfField(frame)}<input type="hidden" name="opened" value="${member.role}">
${roleField(frame, role)}
<div class="buttons"><button class="button primary">Change role</button><span class="hint">It applies from ${isSelf ? 'your' : 'their'} next request.</span></div></form>
${
  !isSelf &&
  html`<section class="panel part" aria-labelledby="link-title"><h2 id="link-title">Sign-in link</h2>
<p>For someone who cannot sign in another way. It works once, within 7 days, and replaces the previous link.</p>
<form class="buttons" method="post" action="${paths.member(slug, id, 'link')}">${csrfField(frame)}${hasMail ? linkButtons : html`<button class="button">New sign-in link</button>`}</form></section>`
}
<section class="panel part" aria-labelledby="remove-title"><h2 id="remove-title">${isSelf ? 'Leave the workspace' : 'Remove from the workspace'}</h2>
<p>${isSelf ? 'You' : 'They'} can no longer sign in to it. The keys that ${isSelf ? 'you' : 'they'} created keep working.</p>
<p class="buttons"><a class="button" href="${paths.member(slug, id, 'remove')}">${isSelf ? 'Leave' : 'Remove'}…</a></p></section>`
}

/** Everyone may remove themselves, and managers may remove others. */
function isOwnRemoval({ session, memberId, workspace }: WorkspaceContext): boolean {
  const isSelf = memberIdOf(session) === memberId
  if (!isSelf) requireRole(workspace, 'manager')
  return isSelf
}

export const showRemoveForm: WorkspaceHandler = async (context) => {
  const { store, workspace, frame } = context
  const isSelf = isOwnRemoval(context)
  const { email, role } = await store.read((tx) => memberAt(context, tx))
  if (!isSelf && !mayManage(workspace.role, role)) throw ownersOnly(workspace.slug)
  return htmlResponse(200, removeMemberPage(frame, email))
}

export const remove: WorkspaceHandler = async (context) => {
  const { workspace, session, cookies } = context
  const isSelf = isOwnRemoval(context)
  const about = await changeMembers(context, isSelf ? 'member' : 'manager', async (tx, manager) => {
    const { email } = await memberAt(context, tx)
    await removeMember(tx, workspace.slug, email, manager)
    return email
  })
  if (!isSelf) return redirectWithNotice(context, paths.members(workspace.slug), 'member-removed', { about })
  // A session without a membership has ended.
  if (session.memberships.length > 1) return redirect(paths.home)
  return redirectWithNotice(context, paths.signIn, 'workspace-left', { headers: cookies.clear('session') })
}

function removeMemberPage(frame: PageFrame, email: string): string {
  const { slug, name } = frame.workspace
  const isSelf = email === frame.email
  const members = paths.members(slug)
  return formPage(frame, {
    title: isSelf ? 'Leave the workspace' : `Remove ${email}`,
    heading: isSelf ? html`Leave ${isolated(name)}?` : html`Remove ${isolated(email)}?`,
    back: { href: members, text: 'Members' },
    action: paths.member(slug, memberIdOf({ email }), 'remove'),
    fields: isSelf
      ? html`<p>You will no longer be able to sign in to ${isolated(name)}. To come back, ask an owner or admin to invite you.</p><p>The keys that you created keep working.</p>`
      : html`<p>Their sessions and sign-in links for ${isolated(name)} end immediately, and so do links that they created for others and the sessions opened with those links.</p><p>The keys that they created keep working. If they may have copied one, rotate it.</p>`,
    button: { text: isSelf ? 'Leave' : 'Remove', isDestructive: true },
    cancel: { href: members, text: 'Cancel' },
  })
}
