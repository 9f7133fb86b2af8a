import { html, named } from '../../lib/html.ts'
import { type Chrome, csrfField, heading, page } from '../layout/layout.ts'
import { paths } from '../paths.ts'

/** GET …/members/<id>/remove: asks before. */
interface RemoveMemberModel {
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
