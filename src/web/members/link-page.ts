import { html, named } from '../../lib/html.ts'
import type { Role } from '../../members/records.ts'
import { icon } from '../layout/icon.ts'
import { type Chrome, heading, page } from '../layout/layout.ts'
import { momentTime } from '../layout/time.ts'
import { paths } from '../paths.ts'
import { roleText } from './list-page.ts'

/** The one page that ever holds a member's sign-in link. Sent with `Cache-Control: no-store`, and not compressed. */
export interface LinkModel {
  chrome: Chrome
  member: { email: string; role: Role }
  link: string
  expiresAt: string
  /** Whether the member was added with it. */
  isNew: boolean
  /** Where members sign in with their company's account; null without one. */
  companySignIn: string | null
}

export function linkPage({ chrome, member, link, expiresAt, isNew, companySignIn }: LinkModel): string {
  const members = paths.members(chrome.workspace.slug)
  const title = isNew ? 'Invitation created' : 'New sign-in link'
  const lead = isNew
    ? html`${named(member.email)} is now ${roleText[member.role].article} of this workspace.`
    : html`For ${named(member.email)}, ${roleText[member.role].article} of this workspace. The link before it no longer works.`
  const company =
    companySignIn !== null &&
    html`<p class="notice neutral">${icon('info')}<span>${named(member.email)} can sign in with the company account at <a href="${companySignIn}">${companySignIn}</a>. The link below is only needed if that does not work for them.</span></p>`
  const body = html`${heading({ title, lead, back: { href: members, text: 'Members' } })}
${company}
<section class="panel created" aria-labelledby="link-title"><h2 id="link-title">Copy the link and hand it over</h2>
<p class="hint">This is the only time it is shown. It works once, until ${momentTime(expiresAt, chrome)}, and signs in to this workspace alone.</p>
<div class="secret"><code id="link" data-secret>${link}</code><button type="button" class="button copy" data-copy="link" hidden><span aria-live="polite">Copy link</span></button></div>
<p class="hint">Whoever opens it is signed in as ${named(member.email)}, so send it to nobody else.</p></section>
<p class="buttons"><a class="button" href="${members}">Done, I have copied it</a></p>`
  return page(chrome, { title, section: 'members', body })
}
