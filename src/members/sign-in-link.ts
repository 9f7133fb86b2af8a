import { appendAudit } from '../audit/log.ts'
import type { Transaction } from '../database/store.ts'
import { DAY_MS, MINUTE_MS } from '../lib/duration.ts'
import { isoOf } from '../lib/instant.ts'
import { createSecret, hashSecret } from '../lib/secret.ts'
import { UserError } from '../lib/user-error.ts'
import { isLinkBy, isLinkTo } from './delete-sign-ins.ts'
import { checkedEmail, lockMembers } from './members.ts'
import { type MemberRecord, membershipsOf } from './records.ts'
import { actorOf, checkMayManage, type Manager } from './roles.ts'
import {
  auditInEachWorkspace,
  deleteExpired,
  lockMemberships,
  type SignInMethod,
  signIn,
  type Visit,
} from './sessions.ts'
import { deleteLinks, findTicket, insertTicket, type Ticket, takeTicket } from './tickets.ts'

/** For a link that the operator prints. */
export const LINK_MINUTES = 15
/** For a link that a member sends to another by email or chat, where it may stay unread for days. */
export const MEMBER_LINK_DAYS = 7

interface LinkRequest {
  email: string
  /** Defaults to the first of the person's workspaces. */
  workspace?: string | undefined
}

async function insertLink(tx: Transaction, subject: string, detail: Record<string, string>, lifetimeMs: number) {
  const token = createSecret()
  const expiresAt = await insertTicket(tx, { hash: hashSecret(token), kind: 'link', subject, detail }, lifetimeMs)
  return { token, expiresAt }
}

/** Returns the token of a link that works once. The audit log of each workspace records its creator. */
export async function createSignInLink(tx: Transaction, request: LinkRequest, actor: string): Promise<string> {
  const email = checkedEmail(request.email)
  const memberships = await membershipsOf(tx, email)
  if (!memberships.some(({ slug }) => request.workspace === undefined || slug === request.workspace))
    throw new UserError(
      `${email} is not a member of ${request.workspace ?? 'any workspace'}; add them with 'vitrine member add'`,
    )
  const detail = request.workspace === undefined ? {} : { workspace: request.workspace }
  const { token, expiresAt } = await insertLink(tx, email, detail, LINK_MINUTES * MINUTE_MS)
  await auditInEachWorkspace(tx, { email, memberships }, 'member.link_made', { expiresAt }, actor)
  return token
}

/** For a member's own mailbox only, so it signs in to all of their workspaces. Not audited: anyone may ask. Undefined for a stranger. */
export async function createMailedLink(tx: Transaction, email: string): Promise<string | undefined> {
  if ((await membershipsOf(tx, email)).length === 0) return undefined
  await deleteExpired(tx)
  return (await insertLink(tx, email, { by: 'mail' }, LINK_MINUTES * MINUTE_MS)).token
}

/**
 * Signs in to this workspace only, because the creator could open the link themselves, and replaces the previous links. One that
 * is mailed is seen by the person alone, but waits in a mailbox for days and may be forwarded: see `workspaceOpenedBy`.
 */
export async function createMemberLink(
  tx: Transaction,
  { workspaceId, slug }: { workspaceId: string; slug: string },
  { email, role }: Pick<MemberRecord, 'email' | 'role'>,
  author: Manager,
  { isMailed = false } = {},
) {
  checkMayManage(author, role)
  const detail = isMailed
    ? { by: 'mail', workspace: slug, invitedTo: workspaceId }
    : { workspace: slug, workspaceId, createdBy: creatorsOf(author) }
  await deleteLinks(tx, isLinkTo(email, workspaceId))
  const link = await insertLink(tx, email, detail, MEMBER_LINK_DAYS * DAY_MS)
  const entry = { actor: actorOf(author), action: 'member.link_made', subject: email }
  const { expiresAt } = link
  await appendAudit(tx, { ...entry, workspaceId, detail: { expiresAt, ...(isMailed && { by: 'mail' }) } })
  return link
}

/** Includes the creators of the link that signed the author in: the session must end when any of them loses their role. */
const creatorsOf = ({ email, linkBy }: Manager): string =>
  [...new Set([email, ...(linkBy?.split(' ') ?? [])])].join(' ')

/** Undefined if it was used or has expired. */
export async function findLink(tx: Transaction, token: string) {
  const link = await findTicket(tx, hashSecret(token), 'link')
  if (link === undefined || link.expiresAt <= isoOf(tx.nowMs)) return undefined
  return { person: link.subject, isCreatedBy: (email: string) => isLinkBy(link.detail.createdBy, email) }
}

/**
 * Null for all of the person's workspaces. A mailed invitation opens only the inviting workspace if the person has others, whose
 * members did not ask for a link that works for days.
 */
async function workspaceOpenedBy(tx: Transaction, { subject, detail }: Ticket): Promise<string | null> {
  const { workspaceId = null, invitedTo } = detail
  if (invitedTo === undefined) return workspaceId
  const memberships = await membershipsOf(tx, subject)
  return memberships.every((one) => one.workspaceId === invitedTo) ? null : invitedTo
}

/** Undefined if the link was used, has expired, or its person is no longer a member. `preferredSlug` is the default. */
export async function signInWithLink(tx: Transaction, token: string, { device, preferredSlug }: Visit) {
  const hash = hashSecret(token)
  const pending = await findTicket(tx, hash, 'link')
  if (pending === undefined) return undefined
  const { subject: email, detail } = pending
  const { workspace = preferredSlug, createdBy, by } = detail
  const workspaceId = await workspaceOpenedBy(tx, pending)
  // The lock keeps the roles of the person and of the link's creators from changing meanwhile.
  if (workspaceId !== null) await lockMembers(tx, workspaceId)
  const scope = { email, workspaceId, linkBy: createdBy ?? null }
  await lockMemberships(tx, scope)
  if ((await takeTicket(tx, hash, 'link')) === undefined) return undefined
  const method: SignInMethod = by === 'mail' ? { by } : { by: 'link', ...(createdBy !== undefined && { createdBy }) }
  return signIn(tx, { scope, method, device, preferredSlug: workspace })
}
