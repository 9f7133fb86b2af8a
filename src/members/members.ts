import { appendAudit } from '../audit/log.ts'
import type { OperatorStore } from '../database/store.ts'
import { asciiLowerCase, personEmail } from '../lib/email.ts'
import { InvalidValueError, UserError } from '../lib/user-error.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'
import { deleteMember, type MemberRecord, membersOf, putMember, type Role, roles } from './records.ts'
import { deleteSignIns } from './sign-in-records.ts'

export function addMember(
  store: OperatorStore,
  slug: string,
  given: { email: string; role: string },
  actor: string,
  now: string,
): Promise<MemberRecord> {
  const member = { ...checkedMember(given), addedAt: now }
  return store.transaction(async (tx) => {
    const { id: workspaceId } = await workspaceOrThrow(tx, slug)
    await putMember(tx, workspaceId, member)
    const { email: subject, role } = member
    await appendAudit(tx, { at: now, workspaceId, actor, action: 'member.added', subject, detail: { role } })
    return member
  })
}

/** Throws an InvalidValueError for the first wrong value. */
export const checkedMember = (given: { email: string; role: string }) => ({
  email: checkedEmail(given.email),
  role: checkedRole(given.role),
})

export const listMembers = (store: Pick<OperatorStore, 'read'>, slug: string): Promise<MemberRecord[]> =>
  store.read(async (tx) => membersOf(tx, (await workspaceOrThrow(tx, slug)).id))

export function removeMember(
  store: OperatorStore,
  slug: string,
  email: string,
  actor: string,
  now: string,
): Promise<void> {
  // Not checked, so that any row can be removed. Only ASCII is folded, so that nobody else is removed.
  const subject = asciiLowerCase(email.trim())
  return store.transaction(async (tx) => {
    const { id: workspaceId } = await workspaceOrThrow(tx, slug)
    if (!(await deleteMember(tx, workspaceId, subject))) {
      checkedEmail(email)
      throw new UserError(`${subject} is not a member of ${slug}`)
    }
    // In other workspaces too, where they sign in again: no session from before can be used any more.
    await deleteSignIns(tx, subject)
    await appendAudit(tx, { at: now, workspaceId, actor, action: 'member.removed', subject, detail: {} })
  })
}

export function checkedEmail(given: string): string {
  const email = personEmail(given.trim())
  if (email === undefined)
    throw new InvalidValueError(
      `${JSON.stringify(given)} is not an email address in plain ASCII of at most 254 characters; spell it as the person signs in with it`,
    )
  return email
}

function checkedRole(role: string): Role {
  const known = roles.find((candidate) => candidate === role)
  if (known === undefined)
    throw new InvalidValueError(`${JSON.stringify(role)} is not a role; choose among ${roles.join(', ')}`)
  return known
}
