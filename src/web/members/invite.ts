import type { Transaction } from '../../database/store.ts'
import { personEmail } from '../../lib/email.ts'
import { redactTokens } from '../../lib/redact.ts'
import { addMember, checkedEmail } from '../../members/members.ts'
import { findMember, type MemberRecord, memberIdOf, type Role, roles } from '../../members/records.ts'
import { type Manager, rolesGrantedBy } from '../../members/roles.ts'
import { createMemberLink, MEMBER_LINK_DAYS } from '../../members/sign-in-link.ts'
import { MailError, type SendMail } from '../../notices/mail.ts'
import type { WorkspaceContext, WorkspaceHandler } from '../context.ts'
import { redirectWithNotice } from '../flash.ts'
import { alreadySent, onlyOnce, ReopenForm } from '../form.ts'
import { type Html, html, isolated } from '../html.ts'
import { copyButton, describe, errorSummary, radios } from '../layout/field.ts'
import { formPage, noticeLine, type PageFrame, page } from '../layout/page.ts'
import { momentTime } from '../layout/time.ts'
import { paths, serviceUrlOf, signInLinkUrl } from '../paths.ts'
import { htmlResponse, PageError } from '../responses.ts'
import { changeMembers, memberAt } from './change.ts'
import { roleText } from './list.ts'

export interface InviteModel {
  frame: PageFrame
  values: { email: string; role: string }
  errors: { email?: string; role?: string }
  hasMail: boolean
}

export const showInviteForm: WorkspaceHandler = async (context) => {
  const { frame, workspace, mail, store, draft } = context
  const values = valuesOf(draft ?? new URLSearchParams())
  const errors = draft === undefined ? {} : errorsIn(values)
  const email = personEmail(values.email) ?? ''
  const existing = email === '' ? undefined : await store.read((tx) => findMember(tx, workspace.workspaceId, email))
  if (existing !== undefined)
    errors.email = `${existing.email} is ${roleText[existing.role].article} here already. To change that, or to get a new sign-in link, go to Members.`
  // Someone may have typed a key.
  const redacted = { ...values, email: redactTokens(values.email) }
  return htmlResponse(200, invitePage({ frame, values: redacted, errors, hasMail: mail !== undefined }))
}

export const inviteMember: WorkspaceHandler = async (context, form) => {
  const values = valuesOf(form)
  if (Object.keys(errorsIn(values)).length > 0) throw new ReopenForm()
  return giveLink(context, form, true, async (tx, manager) => {
    const { slug, workspaceId } = context.workspace
    const email = checkedEmail(values.email)
    const remember = await onlyOnce(context, tx, form, (sent) => alreadyInvited(slug, sent.email ?? ''))
    if ((await findMember(tx, workspaceId, email)) !== undefined) throw new ReopenForm()
    const { member } = await addMember(tx, slug, values, manager)
    await remember({ email: member.email })
    return member
  })
}

function alreadyInvited(slug: string, email: string): PageError {
  const outcome = html`The first time, ${isolated(email)} was invited, and the sign-in link was shown or mailed. It cannot be shown again. If it is lost, create a new one: the previous link then stops working.`
  return alreadySent(outcome, { href: paths.member(slug, memberIdOf({ email })), text: 'See this member' })
}

const valuesOf = (form: URLSearchParams): InviteModel['values'] => ({
  email: (form.get('email') ?? '').trim(),
  role: form.get('role') ?? 'member',
})

const errorsIn = ({ email, role }: InviteModel['values']): InviteModel['errors'] => ({
  ...(!roles.some((each) => each === role) && { role: 'Choose a role.' }),
  ...(personEmail(email) === undefined && {
    email: 'Type one email address, such as ana@acme.example, in plain ASCII letters.',
  }),
})

export function invitePage({ frame, values, errors, hasMail }: InviteModel): string {
  const members = paths.members(frame.workspace.slug)
  const hint = 'The address that they sign in with, as their company spells it.'
  const { attributes, text } = describe('email', hint, errors.email)
  return formPage(frame, {
    title: 'Invite someone',
    lead: hasMail
      ? 'They become a member immediately, and get a link by mail that signs them in, which you do not see.'
      : 'They become a member immediately. You get a link that signs them in, and send it to them yourself: Vitrine sends nothing.',
    back: { href: members, text: 'Members' },
    notices: errorSummary(errors, 'No one was invited.'),
    action: members,
    once: true,
    fields: html`<div class="field"><label for="email">Email address</label>
<input id="email" name="email" type="email" value="${values.email}" required maxlength="254" spellcheck="false" autofocus${attributes}>${text}</div>
${roleField(frame, values.role, errors.role)}`,
    button: { text: hasMail ? 'Invite by mail' : 'Invite' },
    otherButtons: hasMail && html`<button class="button" name="by" value="link">Invite, and show me the link</button>`,
    cancel: { href: members, text: 'Cancel' },
  })
}

export function roleField(frame: PageFrame, chosen: string, error?: string): Html {
  const { attributes, text } = describe('role', null, error)
  const choices = rolesGrantedBy(frame.role).map((role) => {
    const { name, may } = roleText[role]
    return { value: role, text: html`<strong>${name}</strong> <span class="sub">${may}</span>` }
  })
  return html`<fieldset class="field roles"><legend>Role</legend>${radios('role', choices, chosen, attributes)}${text}</fieldset>`
}

export const createLink: WorkspaceHandler = (context, form) =>
  giveLink(context, form, false, (tx) => memberAt(context, tx))

/** Shows a link, or mails one that only the person gets (decision 0016). */
async function giveLink(
  context: WorkspaceContext,
  form: URLSearchParams,
  isNew: boolean,
  memberIn: (tx: Transaction, manager: Manager) => Promise<MemberRecord>,
) {
  const { requestLimits, workspace } = context
  const mail = form.get('by') === 'link' ? undefined : context.mail
  let mayMail: boolean | undefined
  const { member, link } = await changeMembers(context, 'manager', async (tx, manager) => {
    const member = await memberIn(tx, manager)
    const link = await createMemberLink(tx, workspace, member, manager, { isMailed: mail !== undefined })
    // Counted only once, because PostgreSQL may repeat the transaction.
    if (mail !== undefined) mayMail ??= requestLimits.mayInvite(member.email, workspace.workspaceId)
    const text = 'Too many mails were sent already. Wait an hour, or show a link.'
    if (mayMail === false) throw new PageError(429, 'Nothing was sent or changed', text)
    return { member, link }
  })
  if (mail !== undefined) return mailLink(context, mail, member, link, isNew)
  const serviceUrl = serviceUrlOf(context)
  const companySignIn = context.provider === undefined ? null : serviceUrl + paths.home
  const secret = { member, link: signInLinkUrl(serviceUrl, link.token), expiresAt: link.expiresAt, isNew }
  // Only this response contains the link: neither reloading nor going back can show it again.
  return htmlResponse(200, linkPage({ frame: context.frame, ...secret, companySignIn }))
}

type MemberLink = Awaited<ReturnType<typeof createMemberLink>>

/** A tenant can choose no text in the mail: it could contain links. */
async function mailLink(
  context: WorkspaceContext,
  mail: SendMail,
  member: MemberRecord,
  link: MemberLink,
  isNew: boolean,
) {
  const { config, request, session, workspace } = context
  const { slug } = workspace
  const { email, role } = member
  const text = `${session.email} has made you ${roleText[role].article} of the workspace “${slug}”.

Open this link to sign in to this workspace as ${email}. It works once, within ${MEMBER_LINK_DAYS} days:

${signInLinkUrl(config.publicUrl, link.token)}

Do not forward this mail: whoever opens the link is signed in as you. If you do not know the sender, ignore this mail.
`
  try {
    await mail({ to: email, subject: `Sign in to ${slug} on Vitrine`, text })
  } catch (error) {
    request.logFailure(error)
    const reason = error instanceof MailError ? error.message : 'the reason is in the operator’s log'
    const next = { href: paths.member(slug, memberIdOf(member)), text: 'Try again, or show a link instead' }
    const text = `${email} is a member, but got no ${isNew ? '' : 'new '}link: ${reason}.`
    // The link is not deleted: the mail may have arrived nevertheless, and otherwise no one knows it.
    throw new PageError(502, 'The mail was not sent', text, [], next)
  }
  return redirectWithNotice(context, paths.member(slug, memberIdOf(member)), 'link-mailed')
}

/** Both replace the previous link. */
export const linkButtons = html`<button class="button" name="by" value="mail">Mail a new link</button><button class="button" name="by" value="link">Show a new link</button>`

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
    ? html`${isolated(member.email)} is now ${roleText[member.role].article} of this workspace.`
    : html`For ${isolated(member.email)}, ${roleText[member.role].article} of this workspace. The previous link no longer works.`
  const company =
    companySignIn !== null &&
    noticeLine(
      'neutral',
      html`${isolated(member.email)} can sign in with the company account at <a href="${companySignIn}">${companySignIn}</a>. The link below is only needed if that does not work for them.`,
    )
  const body = html`${company}
<section class="panel part" aria-labelledby="link-title"><h2 id="link-title">Copy the link and send it to them</h2>
<p class="hint">This is the only time it is shown. It works once, until ${momentTime(expiresAt, frame)}, and signs in only to this workspace.</p>
<div class="secret"><code id="link" data-secret>${link}</code>${copyButton('link', 'Copy link')}</div>
<p class="hint">Anyone who opens it is signed in as ${isolated(member.email)}, so do not send it to anyone else.</p></section>
<p class="buttons"><a class="button" href="${members}">Done, I have copied it</a></p>`
  return page(frame, { title, lead, back: { href: members, text: 'Members' }, body })
}
