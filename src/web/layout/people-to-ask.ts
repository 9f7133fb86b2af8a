import { type Html, html } from '../../lib/html.ts'
import type { Role } from '../../members/records.ts'

/** After a sentence that ends with "ask:". */
export const peopleToAsk = (people: readonly { email: string; role: Role }[]): Html =>
  people.length === 0
    ? html`<p>the operator of this service, because the workspace has no owner yet.</p>`
    : html`<ul class="people">${people.map(({ email, role }) => html`<li><a href="mailto:${email}">${email}</a> <span class="role">${role}</span></li>`)}</ul>`
