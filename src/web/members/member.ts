import { html, named, type Part } from '../../lib/html.ts'
import { changeRole } from '../../members/members.ts'
import { countOwners, memberIdOf, type Role, roles } from '../../members/records.ts'
import { mayManage, rolesGrantedBy } from '../../members/roles.ts'
import type { HttpResponse } from '../../operation.ts'
import { instantOf, requireManager, type WorkspaceContext, within } from '../context.ts'
import { readForm } from '../form.ts'
import { type Chrome, csrfField, factsList, heading, page } from '../layout/page.ts'
import { dateTime } from '../layout/time.ts'
import { incompleteForm } from '../once.ts'
import { paths } from '../paths.ts'
import { htmlResponse, redirect } from '../responses.ts'
import { draftOf } from '../sign-in/return.ts'
import { changeMembers, memberAt, ownersOnly } from './change.ts'
import { roleField } from './invite.ts'
import { roleText, type ShownMember, signedInText } from './list.ts'

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

/** GET …/members/<id>: everything that one can do with a member. */
export interface MemberModel {
  chrome: Chrome
  member: ShownMember
  /** What the form offers: the member's own, or what was chosen before the session ended. */
  role: string
  /** Those that the person may give. */
  roles: readonly Role[]
  isLastOwner: boolean
}

export function memberPage(model: MemberModel): string {
  const { chrome, member } = model
  const facts = factsList([
    ['Role', roleText[member.role].name],
    ['Added', dateTime(member.addedAt, chrome)],
    ['Last signed in', signedInText(member, chrome)],
  ])
  const body = html`${heading({ title: named(member.email), back: { href: paths.members(chrome.workspace.slug), text: 'Members' } })}
<section class="panel prose" aria-label="About this member">${facts}</section>
${model.isLastOwner ? lastOwner(member.isSelf) : changes(model)}`
  return page(chrome, { title: member.email, section: 'members', body })
}

const lastOwner = (isSelf: boolean) =>
  html`<section class="panel prose" aria-labelledby="only"><h2 id="only">The only owner</h2>
<p>A workspace always has an owner. To change ${isSelf ? 'your own role, or to leave' : 'this role, or to remove them'}, make somebody else an owner first.</p></section>`

function changes({ chrome, member, role, roles }: MemberModel): Part {
  const { slug } = chrome.workspace
  const { id, isSelf } = member
  return html`<form class="form panel" method="post" action="${paths.memberRole(slug, id)}">${csrfField(chrome)}
${roleField(roles, role)}
<div class="buttons"><button class="button primary">Change role</button><span class="hint">It holds from ${isSelf ? 'your' : 'their'} next request on.</span></div></form>
${
  !isSelf &&
  html`<section class="panel prose" aria-labelledby="link-title"><h2 id="link-title">Sign-in link</h2>
<p>For somebody who cannot sign in otherwise. It works once, within 7 days, and replaces the one before it.</p>
<form class="buttons" method="post" action="${paths.memberLink(slug, id)}">${csrfField(chrome)}<button class="button">New sign-in link</button></form></section>`
}
<section class="panel prose" aria-labelledby="remove-title"><h2 id="remove-title">${isSelf ? 'Leave the workspace' : 'Remove from the workspace'}</h2>
<p>${isSelf ? 'You' : 'They'} can no longer sign in to it. The keys that ${isSelf ? 'you' : 'they'} created keep working.</p>
<p class="buttons"><a class="button" href="${paths.removeMember(slug, id)}">${isSelf ? 'Leave' : 'Remove'}…</a></p></section>`
}
