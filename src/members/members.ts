import { type MemberRecord, type OperatorStore, type Role, roles } from '../database/store.ts'
import { existing, InvalidValue, Refusal } from '../keys/life-cycle.ts'
import { asciiLowerCase, personEmail } from '../lib/email.ts'

export function addMember(
  store: OperatorStore,
  slug: string,
  given: { email: string; role: string },
  actor: string,
  now: string,
): Promise<MemberRecord> {
  const member = { ...checkedMember(given), addedAt: now }
  return store.transaction(async (tx) => {
    const { id: workspaceId } = await existing(tx, slug)
    await tx.putMember(workspaceId, member)
    const { email: subject, role } = member
    await tx.audit({ at: now, workspaceId, actor, action: 'member.added', subject, detail: { role } })
    return member
  })
}

/** Throws an InvalidValue for the first that is wrong. */
export const checkedMember = (given: { email: string; role: string }) => ({
  email: checkedEmail(given.email),
  role: checkedRole(given.role),
})

export const listMembers = (store: Pick<OperatorStore, 'read'>, slug: string): Promise<MemberRecord[]> =>
  store.read(async (tx) => tx.members((await existing(tx, slug)).id))

export function removeMember(
  store: OperatorStore,
  slug: string,
  email: string,
  actor: string,
  now: string,
): Promise<void> {
  // Not checked: whatever got into the table can be removed. Only ASCII is folded, so that nobody else is.
  const subject = asciiLowerCase(email.trim())
  return store.transaction(async (tx) => {
    const { id: workspaceId } = await existing(tx, slug)
    if (!(await tx.removeMember(workspaceId, subject))) {
      checkedEmail(email)
      throw new Refusal(`${subject} is not a member of ${slug}`)
    }
    // Of other workspaces too: they sign in again there, and nothing that was open before can be used any more.
    await tx.signIn.endAllOf(subject)
    await tx.audit({ at: now, workspaceId, actor, action: 'member.removed', subject, detail: {} })
  })
}

export function checkedEmail(given: string): string {
  const email = personEmail(given.trim())
  if (email === undefined)
    throw new InvalidValue(
      `${JSON.stringify(given)} is not an email address in plain ASCII of at most 254 characters; spell it as the person signs in with it`,
    )
  return email
}

function checkedRole(role: string): Role {
  const known = roles.find((candidate) => candidate === role)
  if (known === undefined)
    throw new InvalidValue(`${JSON.stringify(role)} is not a role; choose among ${roles.join(', ')}`)
  return known
}
