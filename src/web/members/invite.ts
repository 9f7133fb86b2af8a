import { type Html, html, named } from '../../lib/html.ts'
import { redactTokens } from '../../lib/redact.ts'
import { createSecret } from '../../lib/secret.ts'
import { InvalidValueError } from '../../lib/user-error.ts'
import type { Manager } from '../../members/author.ts'
import { addMember, checkedEmail } from '../../members/members.ts'
import { findMember, type MemberRecord, memberIdOf, type Role, roles } from '../../members/records.ts'
import { rolesGrantedBy } from '../../members/roles.ts'
import { createMemberLink } from '../../members/sign-in-link.ts'
import type { HttpResponse } from '../../operation.ts'
import { instantOf, nowOf, requireManager, type WorkspaceContext, within } from '../context.ts'
import { readForm } from '../form.ts'
import { describe, errorSummary } from '../layout/field.ts'
import { type Chrome, csrfField, heading, page } from '../layout/page.ts'
import { idempotencyTokenOf, once } from '../once.ts'
import { paths } from '../paths.ts'
import { htmlResponse } from '../responses.ts'
import { draftOf } from '../sign-in/return.ts'
import { changeMembers } from './change.ts'
import { linkResponse } from './link.ts'
import { roleText } from './list.ts'

export async function showInviteForm(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  const values = valuesOf(draftOf(context) ?? new URLSearchParams())
  return formResponse(context, 200, { values, errors: {}, once: createSecret() })
}

/** Adds the member and answers with a link that signs them in. */
export async function inviteMember(context: WorkspaceContext): Promise<HttpResponse> {
  requireManager(context.workspace)
  const form = await readForm(context, context.chrome.csrf)
  const token = idempotencyTokenOf(form)
  const values = valuesOf(form)
  const errors = errorsIn(values)
  if (Object.keys(errors).length > 0) return formResponse(context, 422, { values, errors, once: token })
  try {
    const { slug, workspaceId } = context.workspace
    const response = await once(context, token, {
      transaction: (work) => changeMembers(context, work),
      first: async (tx, manager: Manager) => {
        const there = await findMember(tx, workspaceId, checkedEmail(values.email))
        if (there !== undefined) throw new AlreadyMember(there)
        const { member } = await addMember(within(tx), slug, values, manager, instantOf(context, tx))
        const link = await createMemberLink(tx, context.workspace, member, manager, nowOf(context, tx))
        return { result: { member, link }, remember: { invited: member.email, workspaceId } }
      },
      again: async (tx, remembered) => {
        const isHere = remembered.workspaceId === workspaceId
        const invited = isHere ? await findMember(tx, workspaceId, remembered.invited ?? '') : undefined
        return invited && { invited }
      },
    })
    if ('link' in response) return linkResponse(context, response.member, response.link, { isNew: true })
    const member = { ...response.invited, id: memberIdOf(response.invited) }
    return htmlResponse(409, alreadyInvitedPage({ chrome: context.chrome, member }))
  } catch (error) {
    if (!(error instanceof AlreadyMember)) throw error
    return formResponse(context, 422, { values, errors: { email: error.message }, once: token })
  }
}

class AlreadyMember extends Error {
  override name = 'AlreadyMember'

  constructor({ email, role }: MemberRecord) {
    super(
      `${email} is ${roleText[role].article} here already. To change that, or for a new sign-in link, go to Members.`,
    )
  }
}

const valuesOf = (form: URLSearchParams): InviteModel['values'] => ({
  email: (form.get('email') ?? '').trim(),
  role: form.get('role') ?? 'member',
})

function errorsIn({ email, role }: InviteModel['values']): InviteModel['errors'] {
  const errors: InviteModel['errors'] = {}
  if (!roles.some((known) => known === role)) errors.role = 'Choose a role.'
  try {
    checkedEmail(email)
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error
    errors.email = 'Type one email address, such as ana@acme.example, in plain ASCII letters.'
  }
  return errors
}

function formResponse(
  { chrome, workspace }: WorkspaceContext,
  status: number,
  { values, ...filled }: Pick<InviteModel, 'values' | 'errors' | 'once'>,
): HttpResponse {
  // The page shows again what was typed, unless that was a key.
  const shown = { email: redactTokens(values.email), role: values.role }
  return htmlResponse(status, invitePage({ chrome, values: shown, roles: rolesGrantedBy(workspace.role), ...filled }))
}

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
export interface AlreadyInvitedModel {
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
