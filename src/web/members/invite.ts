import { type Html, html, named } from '../../lib/html.ts'
import { redactTokens } from '../../lib/redact.ts'
import { createSecret } from '../../lib/secret.ts'
import { InvalidValueError } from '../../lib/user-error.ts'
import { addMember, checkedEmail } from '../../members/members.ts'
import { findMember, type MemberRecord, memberIdOf, type Role, roles } from '../../members/records.ts'
import { rolesGrantedBy } from '../../members/roles.ts'
import { createMemberLink } from '../../members/sign-in-link.ts'
import type { HttpResponse } from '../../operation.ts'
import { instantOf, nowOf, type WorkspaceContext, type WorkspaceHandler, within } from '../context.ts'
import { csrfField, describe, errorSummary } from '../layout/field.ts'
import { icon } from '../layout/icon.ts'
import { formPage, heading, type PageFrame, page } from '../layout/page.ts'
import { momentTime } from '../layout/time.ts'
import { findTicketOf, incompleteForm, rememberTicket, ticketIn } from '../once.ts'
import { paths, serviceUrlOf, signInLinkUrl } from '../paths.ts'
import { htmlResponse } from '../responses.ts'
import { draftOf } from '../sign-in/return.ts'
import { changeMembers, memberAt } from './change.ts'
import { roleText } from './list.ts'

export interface InviteModel {
  frame: PageFrame
  values: { email: string; role: string }
  errors: { email?: string; role?: string }
  roles: readonly Role[]
  once: string
}

export const showInviteForm: WorkspaceHandler = async (context) => {
  const values = valuesOf(draftOf(context) ?? new URLSearchParams())
  return formResponse(context, 200, { values, errors: {}, once: createSecret() })
}

export const inviteMember: WorkspaceHandler = async (context, form) => {
  const once = ticketIn(form)
  const values = valuesOf(form)
  const errors = errorsIn(values)
  if (Object.keys(errors).length > 0) return formResponse(context, 422, { values, errors, once })
  const outcome = await inviteOnce(context, form, values)
  if (outcome.link !== undefined) return linkResponse(context, outcome.member, outcome.link, { isNew: true })
  if (outcome.invited !== undefined) return htmlResponse(409, alreadyInvitedPage(context.frame, outcome.invited))
  const { email, role } = outcome.present
  const error = `${email} is ${roleText[role].article} here already. To change that, or to get a new sign-in link, go to Members.`
  return formResponse(context, 422, { values, errors: { email: error }, once })
}

const inviteOnce = (context: WorkspaceContext, form: URLSearchParams, values: InviteModel['values']) =>
  changeMembers(context, async (tx, manager) => {
    const { slug, workspaceId } = context.workspace
    const ticket = await findTicketOf(context, tx, form)
    if (ticket !== undefined) {
      const isHere = ticket.workspaceId === workspaceId
      const invited = isHere ? await findMember(tx, workspaceId, ticket.invited ?? '') : undefined
      if (invited === undefined) throw incompleteForm()
      return { invited }
    }
    const present = await findMember(tx, workspaceId, checkedEmail(values.email))
    if (present !== undefined) return { present }
    const { member } = await addMember(within(tx), slug, values, manager, instantOf(context, tx))
    const link = await createMemberLink(tx, context.workspace, member, manager, nowOf(context, tx))
    await rememberTicket(context, tx, form, { invited: member.email, workspaceId })
    return { member, link }
  })

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
  { frame, workspace }: WorkspaceContext,
  status: number,
  { values, ...filled }: Pick<InviteModel, 'values' | 'errors' | 'once'>,
): HttpResponse {
  // Someone may have typed a key.
  const shown = { email: redactTokens(values.email), role: values.role }
  return htmlResponse(status, invitePage({ frame, values: shown, roles: rolesGrantedBy(workspace.role), ...filled }))
}

export function invitePage({ frame, values, errors, roles, once }: InviteModel): string {
  const members = paths.members(frame.workspace.slug)
  const hint = 'The address that they sign in with, as their company spells it.'
  const { attributes, text } = describe('email', hint, errors.email)
  return formPage(frame, {
    title: 'Invite someone',
    section: 'members',
    lead: 'They become a member immediately. You get a link that signs them in, and send it to them yourself: Vitrine sends nothing.',
    back: { href: members, text: 'Members' },
    notices: errorSummary(errors, 'No one was invited.'),
    action: members,
    once,
    fields: html`<div class="field"><label for="email">Email address</label>
<input id="email" name="email" type="email" value="${values.email}" required maxlength="254" spellcheck="false" autofocus${attributes}>${text}</div>
${roleField(roles, values.role, errors.role)}`,
    button: { text: 'Invite' },
    cancel: { href: members, text: 'Cancel' },
  })
}

export function roleField(roles: readonly Role[], chosen: string, error?: string): Html {
  const { attributes, text } = describe('role', null, error)
  const choices = roles.map((role, index) => {
    const { name, may } = roleText[role]
    return html`<label class="check"><input${index === 0 && html` id="role"`} type="radio" name="role" value="${role}"${role === chosen && html` checked`}${attributes}><span><strong>${name}</strong> <span class="sub">${may}</span></span></label>`
  })
  return html`<fieldset class="field roles"><legend>Role</legend>${choices}${text}</fieldset>`
}

/** Shown after a second click: only the first response contained the link. */
export function alreadyInvitedPage(frame: PageFrame, member: Pick<MemberRecord, 'email' | 'role'>): string {
  const members = { href: paths.members(frame.workspace.slug), text: 'Members' }
  const body = html`${heading({ title: 'This invitation has already been created', back: members })}
<section class="panel prose"><p>${named(member.email)} is ${roleText[member.role].article} of this workspace. The sign-in link was shown when the form was sent the first time. Only its hash is stored, so it cannot be shown again.</p>
<p>If you did not copy it, create a new one: the previous link then stops working.</p>
<form class="buttons" method="post" action="${paths.member(frame.workspace.slug, memberIdOf(member), 'link')}">${csrfField(frame)}<button class="button primary">New sign-in link</button><a class="button" href="${members.href}">Back to the members</a></form></section>`
  return page(frame, { title: 'Already invited', section: 'members', body })
}

export const createLink: WorkspaceHandler = async (context) => {
  const { member, link } = await changeMembers(context, async (tx, manager) => {
    const found = await memberAt(context, tx)
    return { member: found, link: await createMemberLink(tx, context.workspace, found, manager, nowOf(context, tx)) }
  })
  return linkResponse(context, member, link, { isNew: false })
}

/** Only this response contains the link: neither reloading nor going back can show it again. */
function linkResponse(
  context: WorkspaceContext,
  member: MemberRecord,
  { token, expiresAt }: { token: string; expiresAt: string },
  { isNew }: { isNew: boolean },
): HttpResponse {
  const serviceUrl = serviceUrlOf(context)
  const model = {
    frame: context.frame,
    member,
    link: signInLinkUrl(serviceUrl, token),
    expiresAt,
    isNew,
    companySignIn: context.provider === undefined ? null : serviceUrl + paths.home,
  }
  return htmlResponse(200, linkPage(model), [], { showsSecret: true })
}

export interface LinkModel {
  frame: PageFrame
  member: { email: string; role: Role }
  link: string
  expiresAt: string
  isNew: boolean
  /** Null if there is no company sign-in. */
  companySignIn: string | null
}

export function linkPage({ frame, member, link, expiresAt, isNew, companySignIn }: LinkModel): string {
  const members = paths.members(frame.workspace.slug)
  const title = isNew ? 'Invitation created' : 'New sign-in link'
  const lead = isNew
    ? html`${named(member.email)} is now ${roleText[member.role].article} of this workspace.`
    : html`For ${named(member.email)}, ${roleText[member.role].article} of this workspace. The previous link no longer works.`
  const company =
    companySignIn !== null &&
    html`<p class="notice neutral">${icon('info')}<span>${named(member.email)} can sign in with the company account at <a href="${companySignIn}">${companySignIn}</a>. The link below is only needed if that does not work for them.</span></p>`
  const body = html`${heading({ title, lead, back: { href: members, text: 'Members' } })}
${company}
<section class="panel created" aria-labelledby="link-title"><h2 id="link-title">Copy the link and send it to them</h2>
<p class="hint">This is the only time it is shown. It works once, until ${momentTime(expiresAt, frame)}, and signs in only to this workspace.</p>
<div class="secret"><code id="link" data-secret>${link}</code><button type="button" class="button copy" data-copy="link" hidden><span aria-live="polite">Copy link</span></button></div>
<p class="hint">Anyone who opens it is signed in as ${named(member.email)}, so do not send it to anyone else.</p></section>
<p class="buttons"><a class="button" href="${members}">Done, I have copied it</a></p>`
  return page(frame, { title, section: 'members', body })
}
