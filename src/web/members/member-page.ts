import { html, named, type Part } from '../../lib/html.ts'
import type { Role } from '../../members/records.ts'
import { factsList } from '../layout/facts.ts'
import { type Chrome, csrfField, heading, page } from '../layout/layout.ts'
import { dateTime } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { roleField } from './invite-page.ts'
import { roleText, type ShownMember, signedInText } from './list-page.ts'

/** GET …/members/<id>: everything that one can do with a member. */
interface MemberModel {
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
