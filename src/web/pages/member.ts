import { html, named } from './html.ts'
import { heading, page } from './layout.ts'
import type { MemberModel } from './model.ts'

/** A member learns that keys exist, and who makes them. */
export function memberPage({ chrome, askWhom }: MemberModel): string {
  const people = askWhom.map(
    ({ email, role }) => html`<li><a href="mailto:${email}">${email}</a> <span class="role">${role}</span></li>`,
  )
  const body = html`${heading({ title: 'API keys', lead: 'Keys let scripts and AI agents read this workspace. They can look; they cannot change anything.' })}
<section class="panel empty" aria-labelledby="ask"><h2 id="ask">You cannot make keys in ${named(chrome.workspace.name)}</h2>
<p>Owners and admins make, watch and revoke them. If you need a key, say what for and how long, and ask:</p>
${people.length === 0 ? html`<p>whoever runs this service: the workspace has no owner yet.</p>` : html`<ul class="people">${people}</ul>`}</section>`
  return page(chrome, { title: 'API keys', section: 'keys', body })
}
