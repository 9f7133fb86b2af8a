import { html, named } from '../../lib/html.ts'
import type { Role } from '../../members/records.ts'
import { type Chrome, heading, page } from '../layout/layout.ts'

/** The address of the keys, for a member: the page exists, and here is who to ask. */
export interface MemberModel {
  chrome: Chrome
  /** The owners' and admins' email addresses, owners first. */
  managers: { email: string; role: Role }[]
}

export function memberPage({ chrome, managers }: MemberModel): string {
  const people = managers.map(
    ({ email, role }) => html`<li><a href="mailto:${email}">${email}</a> <span class="role">${role}</span></li>`,
  )
  const body = html`${heading({ title: 'API keys', lead: 'Keys let scripts and AI agents read this workspace. They cannot change anything.' })}
<section class="panel empty" aria-labelledby="ask"><h2 id="ask">You cannot create keys in ${named(chrome.workspace.name)}</h2>
<p>Owners and admins create, monitor and revoke keys. If you need one, say what it is for and how long you need it, and ask:</p>
${people.length === 0 ? html`<p>the operator of this service, because the workspace has no owner yet.</p>` : html`<ul class="people">${people}</ul>`}</section>`
  return page(chrome, { title: 'API keys', section: 'keys', body })
}
