import { redactTokens } from '../../lib/redact.ts'
import { createSecret } from '../../lib/secret.ts'
import { InvalidValueError } from '../../lib/user-error.ts'
import { addMember, checkedEmail } from '../../members/members.ts'
import { findMember, type MemberRecord, memberIdOf, roles } from '../../members/records.ts'
import { rolesGrantedBy } from '../../members/roles.ts'
import { createMemberLink } from '../../members/sign-in-link.ts'
import type { HttpResponse } from '../../operation.ts'
import { instantOf, nowOf, requireManager, type WorkspaceContext, within } from '../context.ts'
import { readForm } from '../form.ts'
import { findFormTicket, formSentElsewhere, idempotencyTokenOf, rememberForm } from '../once.ts'
import { htmlResponse } from '../responses.ts'
import { draftOf } from '../sign-in/return.ts'
import { changeMembers } from './change.ts'
import { alreadyInvitedPage, type InviteModel, invitePage } from './invite-page.ts'
import { linkResponse } from './link.ts'
import { roleText } from './list-page.ts'

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
    const { member, link } = await changeMembers(context, async (tx, manager) => {
      const ticket = await findFormTicket(tx, context, token)
      const email = ticket === undefined ? checkedEmail(values.email) : (ticket.invited ?? '')
      const there = await findMember(tx, workspaceId, email)
      if (ticket !== undefined) {
        if (there === undefined || ticket.workspaceId !== workspaceId) throw formSentElsewhere()
        return { member: there, link: undefined }
      }
      if (there !== undefined) throw new AlreadyMember(there)
      const { member } = await addMember(within(tx), slug, values, manager, instantOf(context, tx))
      const link = await createMemberLink(tx, context.workspace, member, manager, nowOf(context, tx))
      await rememberForm(tx, context, token, { invited: member.email, workspaceId })
      return { member, link }
    })
    if (link !== undefined) return linkResponse(context, member, link, { isNew: true })
    const invited = { ...member, id: memberIdOf(member) }
    return htmlResponse(409, alreadyInvitedPage({ chrome: context.chrome, member: invited }))
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
