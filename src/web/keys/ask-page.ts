import { html, named } from '../../lib/html.ts'
import type { Role } from '../../members/records.ts'
import { type Chrome, heading, page } from '../layout/layout.ts'
import { peopleToAsk } from '../layout/people-to-ask.ts'

/** The address of the keys, for a member: the page exists, and here is who to ask. */
interface AskForKeyModel {
  chrome: Chrome
  /** The owners' and admins' email addresses, owners first. */
  managers: { email: string; role: Role }[]
}

export function askForKeyPage({ chrome, managers }: AskForKeyModel): string {
  const body = html`${heading({ title: 'API keys', lead: 'Keys let scripts and AI agents read this workspace. They cannot change anything.' })}
<section class="panel empty" aria-labelledby="ask"><h2 id="ask">You cannot create keys in ${named(chrome.workspace.name)}</h2>
<p>Owners and admins create, monitor and revoke keys. If you need one, say what it is for and how long you need it, and ask:</p>
${peopleToAsk(managers)}</section>`
  return page(chrome, { title: 'API keys', section: 'keys', body })
}
