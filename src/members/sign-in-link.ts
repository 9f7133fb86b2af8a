import { appendAudit } from '../audit/log.ts'
import type { OperatorStore, Transaction } from '../database/store.ts'
import { DAY_MS } from '../lib/duration.ts'
import { createSecret, hashSecret } from '../lib/secret.ts'
import { UserError } from '../lib/user-error.ts'
import { actorOf, checkMayManage, type Manager } from './author.ts'
import { checkedEmail, lockMembers } from './members.ts'
import { type MemberRecord, membershipsOf } from './records.ts'
import { lockMemberships, type SignedIn, signIn } from './sessions.ts'
import { deleteLinksTo, isLinkBy } from './sign-in-records.ts'
import { findTicket, insertTicket, takeTicket } from './tickets.ts'

/** For a link that the operator prints. */
export const LINK_MINUTES = 15
/** For a link that a member sends to another by email or chat, where it may stay unread for days. */
const MEMBER_LINK_DAYS = 7

interface LinkRequest {
  email: string
  /** Defaults to the first of the person's workspaces. */
  workspace?: string | undefined
}

/** Returns the token of a link that works once. The audit log of each workspace records its creator. */
export function createSignInLink(
  store: Pick<OperatorStore, 'transaction'>,
  request: LinkRequest,
  { actor, nowMs: given }: { actor: string; nowMs?: number | undefined },
): Promise<string> {
  const email = checkedEmail(request.email)
  const token = createSecret()
  return store.transaction(async (tx) => {
    const nowMs = given ?? tx.nowMs
    const at = new Date(nowMs).toISOString()
    const expiresAt = new Date(nowMs + LINK_MINUTES * 60_000).toISOString()
    const memberships = await membershipsOf(tx, email)
    const chosen = memberships.filter(({ slug }) => request.workspace === undefined || slug === request.workspace)
    if (chosen.length === 0)
      throw new UserError(
        `${email} is not a member of ${request.workspace ?? 'any workspace'}; add them with 'vitrine member add'`,
      )
    const detail = request.workspace === undefined ? {} : { workspace: request.workspace }
    await insertTicket(tx, { hash: hashSecret(token), kind: 'link', subject: email, detail, expiresAt })
    const entry = { at, actor, action: 'member.link_made', subject: email, detail: { expiresAt } }
    for (const workspaceId of memberships.map(({ workspaceId }) => workspaceId).sort())
      await appendAudit(tx, { ...entry, workspaceId })
    return token
  })
}

/** Signs in to this workspace only, because the creator could open the link themselves. Replaces the previous link. */
export async function createMemberLink(
  tx: Transaction,
  { workspaceId, slug }: { workspaceId: string; slug: string },
  { email, role }: Pick<MemberRecord, 'email' | 'role'>,
  author: Manager,
  nowMs: number,
): Promise<{ token: string; expiresAt: string }> {
  checkMayManage(author, role)
  const token = createSecret()
  const expiresAt = new Date(nowMs + MEMBER_LINK_DAYS * DAY_MS).toISOString()
  const detail = { workspace: slug, workspaceId, createdBy: creatorsOf(author) }
  await deleteLinksTo(tx, email, workspaceId)
  await insertTicket(tx, { hash: hashSecret(token), kind: 'link', subject: email, detail, expiresAt })
  const entry = { at: new Date(nowMs).toISOString(), actor: actorOf(author), subject: email, detail: { expiresAt } }
  await appendAudit(tx, { ...entry, workspaceId, action: 'member.link_made' })
  return { token, expiresAt }
}

/** Includes the creators of the link that signed the author in: the session must end when any of them loses their role. */
const creatorsOf = ({ email, linkBy }: Manager): string =>
  [...new Set([email, ...(linkBy?.split(' ') ?? [])])].join(' ')

export async function ownLink(tx: Transaction, token: string, email: string): Promise<string | undefined> {
  const link = await findTicket(tx, hashSecret(token), 'link')
  return isLinkBy(link?.detail.createdBy, email) ? link?.subject : undefined
}

/** Undefined if the link was used, has expired, or its person is no longer a member. `first` is the default. */
export async function signInWithLink(
  tx: Transaction,
  token: string,
  first: string | undefined,
  nowMs: number,
): Promise<SignedIn | undefined> {
  const hash = hashSecret(token)
  const found = await findTicket(tx, hash, 'link')
  if (found === undefined) return undefined
  const limit = found.detail.workspaceId
  // The lock keeps the roles of the person and of the link's creators from changing meanwhile.
  if (limit !== undefined) await lockMembers(tx, limit)
  await lockMemberships(tx, {
    email: found.subject,
    workspaceId: limit ?? null,
    linkBy: found.detail.createdBy ?? null,
  })
  const link = await takeTicket(tx, hash, 'link', new Date(nowMs).toISOString())
  if (link === undefined) return undefined
  const { workspace = first, workspaceId = null, createdBy } = link.detail
  const way = { by: 'link', ...(createdBy !== undefined && { createdBy }) } as const
  return signIn(tx, { email: link.subject, way, first: workspace, workspaceId }, nowMs)
}
