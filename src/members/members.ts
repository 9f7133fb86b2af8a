/**
 * src/members: people, their roles in workspaces, and how they sign in to the settings pages.
 *
 *   members.ts             adds, changes and removes members; roles.ts decides who may do that
 *   sign-in-link.ts        links that sign in once: printed by the operator, created by a member, or mailed to the person
 *   identity-provider.ts   signs in with OpenID Connect, passkeys.ts with WebAuthn
 *   sessions.ts            starts, finds, lists and ends sessions
 *   tickets.ts             single-use secrets for links, challenges and forms
 *   delete-sign-ins.ts     ends the sessions and links that a removed or changed member must lose
 *   records.ts             the statements
 *
 * A person is an email address, and may be a member of several workspaces. Signing in gives access to all of them, except with a
 * link that another member created or had mailed. Its session reaches only that member's workspace. If the creator could have
 * opened the link, the session ends when they may no longer manage the person.
 *
 * Invariants:
 * - Memberships are read for every request, and again within every change, so a removal or demotion takes effect immediately.
 * - A workspace never loses its last owner, and only owners and the operator manage owners.
 * - Removing a member ends their sessions and links, and sessions from links that they created. Adding them again revives none.
 * - Secrets are stored only as hashes. Sessions, passkeys and pending sign-ins are bounded per person or in total.
 *
 * Risks: two replicas change the same people. Changes lock the workspace's members (`lockMembers`), and sign-ins lock memberships
 * before they write (`lockMemberships`). An address that only looks like another must not become that person: see lib/email.ts.
 */
import { appendAudit } from '../audit/log.ts'
import { countFrom, insertRow } from '../database/statements.ts'
import type { Transaction } from '../database/store.ts'
import { asciiLowerCase, personEmail } from '../lib/email.ts'
import { isoOf } from '../lib/instant.ts'
import { InvalidValueError, UserError } from '../lib/user-error.ts'
import { workspaceOrThrow } from '../workspaces/records.ts'
import { deleteSessionsTo, deleteSignIns, deleteSignInsBy, deleteSignInsTo, isLinkTo } from './delete-sign-ins.ts'
import { countOwners, findMember, type MemberRecord, membershipsOf, type Role, roles } from './records.ts'
import { type Author, actorOf, checkMayManage, isOperator } from './roles.ts'
import { deleteLinks } from './tickets.ts'

type WantedMember = Record<'email' | 'role', string>

export type ChangedMember = Awaited<ReturnType<typeof addMember>>

export async function addMember(
  tx: Transaction,
  slug: string,
  wanted: WantedMember,
  author: Author,
  now = isoOf(tx.nowMs),
) {
  const { email, role } = checkedMember(wanted)
  const workspace = await lockedWorkspace(tx, slug)
  const existing = await findMember(tx, workspace.id, email)
  if (existing !== undefined) return giveRole(tx, workspace, existing, role, author)
  checkMayManage(author, role)
  const memberships = await membershipsOf(tx, email)
  await checkBounds(tx, workspace, email, memberships.length)
  // The deletion of a workspace may have left some. Adding the member again must not revive them.
  if (memberships.length === 0) await deleteSignIns(tx, email)
  await insertRow(tx, 'members', { workspaceId: workspace.id, email, role, addedAt: now })
  const entry = { at: now, workspaceId: workspace.id, actor: actorOf(author), subject: email }
  await appendAudit(tx, { ...entry, action: 'member.added', detail: { role } })
  return { member: { email, role, addedAt: now, signedInAt: null }, before: null }
}

/** The most members of a workspace: their page lists all of them, and finds one among them by its address. */
export const MAX_MEMBERS = 200
/** The most workspaces of a person: each sign-in is recorded in the audit log of each. */
export const MAX_WORKSPACES = 200

export class MembershipBoundError extends UserError {
  override name = 'MembershipBoundError'
}

async function checkBounds(tx: Transaction, { slug, id }: Workspace, email: string, workspaces: number) {
  if ((await countFrom(tx, 'members WHERE workspace_id = ?', id)) >= MAX_MEMBERS)
    throw new MembershipBoundError(`${slug} has ${MAX_MEMBERS} members, and cannot have more; remove one first`)
  if (workspaces >= MAX_WORKSPACES)
    throw new MembershipBoundError(
      `${email} is a member of ${MAX_WORKSPACES} workspaces, and cannot join more; remove them from one first`,
    )
}

export const checkedMember = (wanted: WantedMember) => ({
  email: checkedEmail(wanted.email),
  role: checkedRole(wanted.role),
})

export async function changeRole(tx: Transaction, slug: string, wanted: WantedMember, author: Author) {
  const { email, role } = checkedMember(wanted)
  const workspace = await lockedWorkspace(tx, slug)
  return giveRole(tx, workspace, await memberOrThrow(tx, workspace, email), role, author)
}

async function giveRole(tx: Transaction, workspace: Workspace, existing: MemberRecord, role: Role, author: Author) {
  const { email, role: before } = existing
  const { id: workspaceId } = workspace
  checkMayManage(author, before)
  checkMayManage(author, role)
  if (role === before) return { member: existing, before }
  await checkNotLastOwner(tx, workspace, existing)
  await tx.run('UPDATE members SET role = ? WHERE workspace_id = ? AND email = ?', role, workspaceId, email)
  // An admin may have created a link to this member, and must not become an owner through it.
  if (role === 'owner') await deleteSignInsTo(tx, email, workspaceId)
  // A demoted member must not retain rights through links that they created.
  if (roles.indexOf(role) > roles.indexOf(before)) await deleteSignInsBy(tx, email, workspaceId)
  const entry = { workspaceId, actor: actorOf(author), subject: email }
  await appendAudit(tx, { ...entry, action: 'member.role_changed', detail: { from: before, to: role } })
  return { member: { ...existing, role }, before }
}

export async function removeMember(tx: Transaction, slug: string, email: string, author: Author): Promise<void> {
  // Not validated, so that any row can be removed. Only ASCII is lower-cased, so that no other address matches.
  const subject = asciiLowerCase(email.trim())
  const workspace = await lockedWorkspace(tx, slug)
  const { id: workspaceId } = workspace
  const existing = await memberOrThrow(tx, workspace, subject, email)
  if (isOperator(author) || author.email !== subject) checkMayManage(author, existing.role)
  await checkNotLastOwner(tx, workspace, existing)
  await tx.run('DELETE FROM members WHERE workspace_id = ? AND email = ?', workspaceId, subject)
  // Only the operator may end all of a person's sessions. Members end those that reach only this workspace.
  if (isOperator(author) || (await membershipsOf(tx, subject)).length === 0) await deleteSignIns(tx, subject)
  else await deleteSessionsTo(tx, subject, workspaceId)
  await deleteLinks(tx, isLinkTo(subject, workspaceId))
  await deleteSignInsBy(tx, subject, workspaceId)
  const actor = actorOf(author)
  await appendAudit(tx, { workspaceId, actor, action: 'member.removed', subject, detail: {} })
}

type Workspace = Record<'id' | 'slug', string>

/** Changes in one workspace run one after the other, so that two owners cannot demote each other. */
async function lockedWorkspace(tx: Transaction, slug: string): Promise<Workspace> {
  const workspace = await workspaceOrThrow(tx, slug)
  await lockMembers(tx, workspace.id)
  return workspace
}

export const lockMembers = (tx: Transaction, workspaceId: string): Promise<void> => tx.lock(`members of ${workspaceId}`)

export class LastOwnerError extends UserError {
  override name = 'LastOwnerError'
}

/** Not even the operator may leave a workspace without an owner. */
async function checkNotLastOwner(tx: Transaction, { slug, id }: Workspace, member: MemberRecord): Promise<void> {
  if (member.role !== 'owner' || (await countOwners(tx, id)) > 1) return
  throw new LastOwnerError(
    `${member.email} is the only owner of ${slug}; make another member an owner first: 'vitrine member add --workspace ${slug} --email <address> --role owner'`,
  )
}

async function memberOrThrow(tx: Transaction, { slug, id }: Workspace, email: string, typed = email) {
  const member = await findMember(tx, id, email)
  if (member !== undefined) return member
  checkedEmail(typed)
  throw new UserError(
    `${email} is not a member of ${slug}; 'vitrine member list --workspace ${slug}' lists the members`,
  )
}

export function checkedEmail(text: string): string {
  const email = personEmail(text.trim())
  if (email === undefined)
    throw new InvalidValueError(
      `${JSON.stringify(text)} is not an email address in plain ASCII of at most 254 characters; use the spelling that the person signs in with`,
    )
  return email
}

function checkedRole(role: string): Role {
  const match = roles.find((candidate) => candidate === role)
  if (match === undefined)
    throw new InvalidValueError(`${JSON.stringify(role)} is not a role; choose one of ${roles.join(', ')}`)
  return match
}
