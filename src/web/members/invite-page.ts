import { type Html, html, named } from '../../lib/html.ts'
import type { Role } from '../../members/records.ts'
import { describe, errorSummary } from '../layout/field.ts'
import { type Chrome, csrfField, heading, page } from '../layout/layout.ts'
import { paths } from '../paths.ts'
import { roleText } from './list-page.ts'

/** GET …/members/new, and the response (422) to a POST with errors. */
export interface InviteModel {
  chrome: Chrome
  /** As the browser sent them. */
  values: { email: string; role: string }
  errors: { email?: string; role?: string }
  /** Those that the person may give. */
  roles: readonly Role[]
  /** The form's idempotency token. */
  once: string
}

export function invitePage({ chrome, values, errors, roles, once }: InviteModel): string {
  const members = paths.members(chrome.workspace.slug)
  const { attributes, text } = describe(
    'email',
    'The address that they sign in with, as their company spells it.',
    errors.email,
  )
  const body = html`${heading({ title: 'Invite somebody', lead: 'They become a member at once. You get a link that signs them in, to hand over yourself: nothing is sent.', back: { href: members, text: 'Members' } })}
${errorSummary(errors, 'Nobody was invited.')}
<form class="form panel" method="post" action="${members}" novalidate>${csrfField(chrome)}<input type="hidden" name="once" value="${once}">
<div class="field"><label for="email">Email address</label>
<input id="email" name="email" type="email" value="${values.email}" required maxlength="254" spellcheck="false" autofocus${attributes}>${text}</div>
${roleField(roles, values.role, errors.role)}
<div class="buttons"><button class="button primary">Invite</button><a class="button" href="${members}">Cancel</a></div></form>`
  return page(chrome, { title: 'Invite somebody', section: 'members', body })
}

export function roleField(roles: readonly Role[], chosen: string, error?: string): Html {
  const { attributes, text } = describe('role', null, error)
  const choices = roles.map((role, index) => {
    const { name, may } = roleText[role]
    return html`<label class="check"><input${index === 0 && html` id="role"`} type="radio" name="role" value="${role}"${role === chosen && html` checked`}${attributes}><span><strong>${name}</strong> <span class="sub">${may}</span></span></label>`
  })
  return html`<fieldset class="field roles"><legend>Role</legend>${choices}${text}</fieldset>`
}

/** What a second click on "Invite" gets: the link was in the first response. */
interface AlreadyInvitedModel {
  chrome: Chrome
  member: { id: string; email: string; role: Role }
}

export function alreadyInvitedPage({ chrome, member }: AlreadyInvitedModel): string {
  const { slug } = chrome.workspace
  const { id, email, role } = member
  const body = html`${heading({ title: 'This invitation has already been created', back: { href: paths.members(slug), text: 'Members' } })}
<section class="panel prose"><p>${named(email)} is ${roleText[role].article} of this workspace. The sign-in link was shown when the form was sent the first time. Only its hash is stored, so it cannot be shown again.</p>
<p>If you did not copy it, create another: the one before it then stops working.</p>
<form class="buttons" method="post" action="${paths.memberLink(slug, id)}">${csrfField(chrome)}<button class="button primary">New sign-in link</button><a class="button" href="${paths.members(slug)}">Back to the members</a></form></section>`
  return page(chrome, { title: 'Already invited', section: 'members', body })
}
