import { appendAudit } from '../audit/log.ts'
import type { OperatorStore, Transaction } from '../database/store.ts'
import { asciiLowerCase, personEmail } from '../lib/email.ts'
import { InvalidValueError, UserError } from '../lib/user-error.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'
import { type Author, actorOf, checkMayManage, checkNotLastOwner, isOperator, isSelf } from './author.ts'
import {
  deleteMember,
  findMember,
  insertMember,
  type MemberRecord,
  membershipsOf,
  membersOf,
  type Role,
  roles,
  updateRole,
} from './records.ts'
import { deleteSignIns, deleteSignInsBy, deleteSignInsTo } from './sign-in-records.ts'

export interface ChangedMember {
  member: MemberRecord
  /** The role before; null if they were no member. */
  before: Role | null
}

/** Adds a member; changes the role of one who is there already. */
export function addMember(
  store: Pick<OperatorStore, 'transaction'>,
  slug: string,
  given: { email: string; role: string },
  author: Author,
  now: string,
): Promise<ChangedMember> {
  const { email, role } = checkedMember(given)
  return change(store, slug, async (tx, workspaceId) => {
    const there = await findMember(tx, workspaceId, email)
    if (there !== undefined) return giveRole(tx, { slug, workspaceId }, there, role, author, now)
    checkMayManage(author, role)
    const member = { email, role, addedAt: now, signedInAt: null }
    await insertMember(tx, workspaceId, member)
    const entry = { at: now, workspaceId, actor: actorOf(author), action: 'member.added', subject: email }
    await appendAudit(tx, { ...entry, detail: { role } })
    return { member, before: null }
  })
}

/** Throws an InvalidValueError for the first wrong value. */
export const checkedMember = (given: { email: string; role: string }) => ({
  email: checkedEmail(given.email),
  role: checkedRole(given.role),
})

export const listMembers = (store: Pick<OperatorStore, 'read'>, slug: string): Promise<MemberRecord[]> =>
  store.read(async (tx) => membersOf(tx, (await workspaceOrThrow(tx, slug)).id))

export function changeRole(
  store: Pick<OperatorStore, 'transaction'>,
  slug: string,
  given: { email: string; role: string },
  author: Author,
  now: string,
): Promise<ChangedMember> {
  const { email, role } = checkedMember(given)
  return change(store, slug, async (tx, workspaceId) => {
    const there = await memberOrThrow(tx, { slug, workspaceId }, email)
    return giveRole(tx, { slug, workspaceId }, there, role, author, now)
  })
}

async function giveRole(
  tx: Transaction,
  { slug, workspaceId }: { slug: string; workspaceId: string },
  there: MemberRecord,
  role: Role,
  author: Author,
  now: string,
): Promise<ChangedMember> {
  const { email, role: before } = there
  checkMayManage(author, before)
  checkMayManage(author, role)
  if (role === before) return { member: there, before }
  await checkNotLastOwner(tx, { slug, workspaceId }, there)
  await updateRole(tx, workspaceId, email, role)
  // An admin may have created such a link, and must not become an owner by it.
  if (role === 'owner') await deleteSignInsTo(tx, email, workspaceId)
  // Nor may a member retain, by a link that they created and may have opened, what they may no longer do.
  if (isLower(role, before)) await deleteSignInsBy(tx, email, workspaceId)
  const entry = { at: now, workspaceId, actor: actorOf(author), action: 'member.role_changed', subject: email }
  await appendAudit(tx, { ...entry, detail: { from: before, to: role } })
  return { member: { ...there, role }, before }
}

/** `roles` begins with the highest. */
const isLower = (role: Role, than: Role): boolean => roles.indexOf(role) > roles.indexOf(than)

export function removeMember(
  store: Pick<OperatorStore, 'transaction'>,
  slug: string,
  email: string,
  author: Author,
  now: string,
): Promise<void> {
  // Not checked, so that any row can be removed. Only ASCII is folded, so that no one else is removed.
  const subject = asciiLowerCase(email.trim())
  return change(store, slug, async (tx, workspaceId) => {
    const there = await memberOrThrow(tx, { slug, workspaceId }, subject, email)
    if (!isSelf(author, subject)) checkMayManage(author, there.role)
    await checkNotLastOwner(tx, { slug, workspaceId }, there)
    await deleteMember(tx, workspaceId, subject)
    await endSignIns(tx, subject, workspaceId, author)
    await deleteSignInsBy(tx, subject, workspaceId)
    const actor = actorOf(author)
    await appendAudit(tx, { at: now, workspaceId, actor, action: 'member.removed', subject, detail: {} })
  })
}

/**
 * The operator ends all sessions of the person. A member of one workspace must not sign people out of others: there, they
 * end what reaches this workspace alone; a session that reaches others no longer reaches this one.
 */
async function endSignIns(tx: Transaction, email: string, workspaceId: string, author: Author): Promise<void> {
  if (isOperator(author) || (await membershipsOf(tx, email)).length === 0) await deleteSignIns(tx, email)
  else await deleteSignInsTo(tx, email, workspaceId)
}

/** Changes to the members of one workspace run one after the other, so that two owners cannot demote each other. */
function change<T>(
  store: Pick<OperatorStore, 'transaction'>,
  slug: string,
  work: (tx: Transaction, workspaceId: string) => Promise<T>,
): Promise<T> {
  return store.transaction(async (tx) => {
    const { id } = await workspaceOrThrow(tx, slug)
    await lockMembers(tx, id)
    return work(tx, id)
  })
}

export const lockMembers = (tx: Transaction, workspaceId: string): Promise<void> => tx.lock(`members of ${workspaceId}`)

async function memberOrThrow(
  tx: Transaction,
  { slug, workspaceId }: { slug: string; workspaceId: string },
  email: string,
  given = email,
): Promise<MemberRecord> {
  const member = await findMember(tx, workspaceId, email)
  if (member !== undefined) return member
  checkedEmail(given)
  throw new UserError(`${email} is not a member of ${slug}; 'vitrine member list --workspace ${slug}' shows who is`)
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
