import { html, named } from '../../lib/html.ts'
import { removeMember } from '../../members/members.ts'
import { memberIdOf } from '../../members/records.ts'
import { mayManage } from '../../members/roles.ts'
import type { HttpResponse } from '../../operation.ts'
import { instantOf, requireManager, type WorkspaceContext, within } from '../context.ts'
import { readForm } from '../form.ts'
import { type Chrome, csrfField, heading, page } from '../layout/page.ts'
import { paths } from '../paths.ts'
import { htmlResponse, redirect } from '../responses.ts'
import { changeMembers, memberAt, ownersOnly } from './change.ts'

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

/** GET …/members/<id>/remove: asks before. */
export interface RemoveMemberModel {
  chrome: Chrome
  member: { id: string; email: string; isSelf: boolean }
}

export function removeMemberPage({ chrome, member }: RemoveMemberModel): string {
  const { slug, name } = chrome.workspace
  const { id, email, isSelf } = member
  const members = paths.members(slug)
  const title = isSelf ? html`Leave ${named(name)}?` : html`Remove ${named(email)}?`
  const effects = isSelf
    ? html`<p>From now on you cannot sign in to ${named(name)}. To come back, ask an owner or admin to invite you.</p><p>The keys that you created keep working.</p>`
    : html`<p>Their sessions and sign-in links for ${named(name)} end at once, and so do the links that they created for others and the sessions that those links opened.</p><p>The keys that they created keep working. If they may have copied one, rotate it.</p>`
  const body = html`${heading({ title, back: { href: members, text: 'Members' } })}
<section class="panel prose">${effects}
<form class="buttons" method="post" action="${paths.removeMember(slug, id)}">${csrfField(chrome)}<button class="button destructive">${isSelf ? 'Leave' : 'Remove'}</button><a class="button" href="${members}">Cancel</a></form></section>`
  return page(chrome, { title: isSelf ? 'Leave the workspace' : `Remove ${email}`, section: 'members', body })
}
