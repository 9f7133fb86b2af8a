import { appendAudit } from '../audit/log.ts'
import { insertRow } from '../database/statements.ts'
import { type OperatorStore, SESSION_COLUMNS, type SessionRecord, type Transaction } from '../database/store.ts'
import { DAY_MS, HOUR_MS } from '../lib/duration.ts'
import { isoOf } from '../lib/instant.ts'
import { createSecret, hashSecret, isSecret } from '../lib/secret.ts'
import { findMember, type Membership, membershipsOf } from './records.ts'
import { actorOf, mayManage } from './roles.ts'

const IDLE_MS = 12 * HOUR_MS
const MAX_AGE_MS = 7 * DAY_MS
export const SESSION_SECONDS = MAX_AGE_MS / 1000
/** Limits how often `seen_at` is written. */
const TOUCH_EVERY_MS = 5 * 60_000

/** A further session ends the least recently used one. Sessions limited to a workspace are counted separately. */
const MAX_SESSIONS_PER_PERSON = 20

export interface Session extends Omit<SessionRecord, 'startedAt' | 'seenAt' | 'device'> {
  memberships: Membership[]
  needsTouch: boolean
  nowMs: number
}

/** Malformed secrets cost nothing; unknown ones cost no transaction. */
export async function findActiveSession(
  store: Pick<OperatorStore, 'findSession' | 'read'>,
  secret: string | undefined,
): Promise<Session | undefined> {
  if (!isSecret(secret)) return undefined
  const stored = await store.findSession(hashSecret(secret))
  if (stored === undefined) return undefined
  const { nowMs } = stored
  const { startedAt: _, seenAt, device: __, ...session } = stored.session
  if (isOver(stored.session, nowMs)) return undefined
  const memberships = await store.read((tx) => membershipsIn(tx, session))
  if (memberships.length === 0) return undefined
  return { ...session, memberships, needsTouch: nowMs - Date.parse(seenAt) >= TOUCH_EVERY_MS, nowMs }
}

export type SessionScope = Pick<SessionRecord, 'email' | 'workspaceId' | 'linkBy'>

/**
 * A session from a member's link reaches one workspace, and only while the link's creator may manage the user: the creator could open
 * the link too. One from a mailed invitation has no such creator.
 */
async function membershipsIn(tx: Transaction, { email, workspaceId, linkBy }: SessionScope): Promise<Membership[]> {
  const memberships = await membershipsOf(tx, email)
  if (workspaceId === null) return memberships
  const membership = memberships.find((one) => one.workspaceId === workspaceId)
  if (membership === undefined) return []
  for (const creator of linkBy?.split(' ') ?? []) {
    const member = await findMember(tx, workspaceId, creator)
    if (member === undefined || !mayManage(member.role, membership.role)) return []
  }
  return [membership]
}

/**
 * Locks the memberships with an update, which is a no-op unless the person signs in, and rereads them. Call this before writing links and
 * sessions: removing a member takes the same lock first, so there is no deadlock, and no removed member keeps a session.
 */
export async function lockMemberships(tx: Transaction, scope: SessionScope, signedInAt: string | null = null) {
  const lock = 'UPDATE members SET signed_in_at = coalesce(?, signed_in_at) WHERE workspace_id = ? AND email = ?'
  for (const id of idsOf(await membershipsIn(tx, scope))) await tx.run(lock, signedInAt, id, scope.email)
  return membershipsIn(tx, scope)
}

const isOver = ({ startedAt, seenAt }: SessionRecord, nowMs: number) =>
  nowMs - Date.parse(startedAt) >= MAX_AGE_MS || nowMs - Date.parse(seenAt) >= IDLE_MS

/** `createdBy` is set if a member created the link. A mailed link went only to the person, even if a member had it sent. */
export type SignInMethod =
  | { by: 'oidc' }
  | { by: 'mail' }
  | { by: 'passkey'; passkey: string }
  | { by: 'link'; createdBy?: string }

/** The browser that signs a person in, and the workspace to show first if they are a member there. */
export interface Visit {
  device: string
  preferredSlug?: string | undefined
}

interface SignInRequest extends Visit {
  scope: SessionScope
  method: SignInMethod
}

export type SignedIn = NonNullable<Awaited<ReturnType<typeof signIn>>>

/** The secret is for the cookie. Undefined if the session would not reach any workspace of which the person is a member. */
export async function signIn(tx: Transaction, { scope, method, device, preferredSlug }: SignInRequest) {
  const now = isoOf(tx.nowMs)
  const { email, workspaceId } = scope
  const memberships = await lockMemberships(tx, scope, now)
  const workspace = memberships.find(({ slug }) => slug === preferredSlug) ?? memberships[0]
  if (workspace === undefined) return undefined
  await deleteExpired(tx)
  const sameScope = 'email = ? AND workspace_id IS NOT DISTINCT FROM ?'
  await tx.run(
    `DELETE FROM sessions WHERE ${sameScope} AND hash NOT IN
       (SELECT hash FROM sessions WHERE ${sameScope} ORDER BY seen_at DESC, hash LIMIT ?)`,
    ...[email, workspaceId, email, workspaceId, MAX_SESSIONS_PER_PERSON - 1],
  )
  const secret = createSecret()
  await insertRow(tx, 'sessions', { hash: hashSecret(secret), ...scope, startedAt: now, seenAt: now, device })
  await auditInEachWorkspace(tx, { email, memberships }, 'session.started', { ...method })
  return { secret, workspace, memberships }
}

/** Called before inserts that follow no audit entry, so that the tables stay small without a timer. */
export async function deleteExpired(tx: Transaction): Promise<void> {
  const { nowMs } = tx
  const ends = [isoOf(nowMs - MAX_AGE_MS), isoOf(nowMs - IDLE_MS)]
  await tx.run('DELETE FROM tickets WHERE expires_at <= ?', isoOf(nowMs))
  await tx.run('DELETE FROM sessions WHERE started_at <= ? OR seen_at <= ?', ...ends)
}

export async function touch(tx: Transaction, { hash, nowMs }: Session): Promise<void> {
  await tx.run('UPDATE sessions SET seen_at = ? WHERE hash = ?', isoOf(nowMs), hash)
}

export async function endSession(tx: Transaction, ended: SessionScope & { hash: string }, by: Session) {
  const removed = await tx.run('DELETE FROM sessions WHERE hash = ?', ended.hash)
  if (removed === 0) return false
  const memberships = await membershipsIn(tx, ended)
  await auditInEachWorkspace(tx, { ...by, memberships }, 'session.ended', {})
  return true
}

export async function activeSessionsOf(tx: Transaction, email: string, nowMs: number): Promise<SessionRecord[]> {
  const active: SessionRecord[] = []
  const all = await tx.all<SessionRecord>(`SELECT ${SESSION_COLUMNS} FROM sessions WHERE email = ?`, email)
  for (const session of all)
    if (!isOver(session, nowMs) && (await membershipsIn(tx, session)).length > 0) active.push(session)
  return active
}

/** In the order in which workspaces are always locked, which prevents deadlocks. */
const idsOf = (memberships: readonly Membership[]): string[] => memberships.map(({ workspaceId }) => workspaceId).sort()

/** Sessions, passkeys and the operator's links reach all of a person's workspaces at once, so each workspace's log gets an entry. */
export async function auditInEachWorkspace(
  tx: Transaction,
  person: Pick<Session, 'email' | 'memberships'> & { linkBy?: string | null },
  action: string,
  detail: Record<string, unknown>,
  actor = actorOf(person),
): Promise<void> {
  for (const workspaceId of idsOf(person.memberships))
    await appendAudit(tx, { workspaceId, actor, action, subject: person.email, detail })
}

/** Rereads the membership within the transaction. Undefined if the session or the membership has ended. */
export async function currentMembership(tx: Transaction, { hash }: Session, workspaceId: string) {
  const [session] = await tx.all<SessionRecord>(`SELECT ${SESSION_COLUMNS} FROM sessions WHERE hash = ?`, hash)
  const memberships = session === undefined ? [] : await membershipsIn(tx, session)
  return memberships.find((membership) => membership.workspaceId === workspaceId)
}

/** An active session, as its person sees it. */
export interface SignIn extends Pick<SessionRecord, 'startedAt' | 'seenAt' | 'device' | 'linkBy'> {
  id: string
  isCurrent: boolean
  mayEnd: boolean
}

/** Identifies a session in forms without revealing its hash. */
const sessionIdOf = ({ hash }: Pick<SessionRecord, 'hash'>): string => hashSecret(hash).slice(0, 18)

/** The creator of a link to one workspace must not sign the person out of others. */
const mayEnd = (session: Session, other: SessionRecord): boolean =>
  session.workspaceId === null || session.workspaceId === other.workspaceId

/** Those that reach the workspace, newest first. */
export async function signInsOf(tx: Transaction, session: Session, workspaceId: string): Promise<SignIn[]> {
  const all = await activeSessionsOf(tx, session.email, session.nowMs)
  return all
    .filter((other) => other.workspaceId === null || other.workspaceId === workspaceId)
    .map((other) => {
      const { startedAt, seenAt, device, linkBy } = other
      const isCurrent = other.hash === session.hash
      return { id: sessionIdOf(other), startedAt, seenAt, device, linkBy, isCurrent, mayEnd: mayEnd(session, other) }
    })
    .sort((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
}

/** Returns false if it had already ended, or if this session may not end it. */
export async function endSignIn(tx: Transaction, session: Session, id: string): Promise<boolean> {
  const all = await activeSessionsOf(tx, session.email, session.nowMs)
  const other = all.find((one) => sessionIdOf(one) === id)
  return other !== undefined && mayEnd(session, other) && endSession(tx, other, session)
}
