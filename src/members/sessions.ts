import { appendAudit } from '../audit/log.ts'
import type { OperatorStore, SessionRecord, Transaction } from '../database/store.ts'
import { createSecret, hashSecret, isSecret } from '../lib/secret.ts'
import { lockMember, type Membership, membershipsOf, updateSignedInAt } from './records.ts'
import {
  deleteExpiredSignIns,
  deleteSession,
  findSession,
  insertSession,
  keepSessions,
  touchSession,
} from './sign-in-records.ts'

const HOUR_MS = 3_600_000
/** A session ends when it has not been used for this long. */
const IDLE_MS = 12 * HOUR_MS
/** However much it is used, it ends then. */
const MAX_AGE_MS = 7 * 24 * HOUR_MS
export const SESSION_SECONDS = MAX_AGE_MS / 1000
/** When a session was last used is recorded no more often than this. */
const TOUCH_EVERY_MS = 5 * 60_000

/**
 * More browsers than a person has; one more sign-in ends the session that was used least recently. Counted apart for each
 * workspace that sessions are limited to.
 */
const MAX_SESSIONS_PER_PERSON = 20

/** A person who is signed in, and where they are a member. */
export interface Session {
  hash: string
  email: string
  memberships: Membership[]
  /** Whether it is time to record that the session is in use. */
  isStale: boolean
  /** The time of the request. */
  nowMs: number
}

const textOf = (ms: number) => new Date(ms).toISOString()

/**
 * The session of a secret, if it has not ended and its person is still a member somewhere. What cannot be a secret costs
 * nothing, and an unknown one no transaction.
 */
export async function findActiveSession(
  { store, clock }: { store: Pick<OperatorStore, 'findSession' | 'read'>; clock: (() => number) | undefined },
  secret: string | undefined,
): Promise<Session | undefined> {
  if (!isSecret(secret)) return undefined
  const found = await store.findSession(hashSecret(secret))
  if (found === undefined) return undefined
  const { hash, email, seenAt, workspaceId } = found.session
  const nowMs = clock?.() ?? found.nowMs
  if (isOver(found.session, nowMs)) return undefined
  const memberships = await store.read((tx) => membershipsReached(tx, { email, workspaceId }))
  if (memberships.length === 0) return undefined
  return { hash, email, memberships, isStale: nowMs - Date.parse(seenAt) >= TOUCH_EVERY_MS, nowMs }
}

/** A session of a link that a member created reaches that member's workspace alone. */
async function membershipsReached(
  tx: Transaction,
  { email, workspaceId }: Pick<SessionRecord, 'email' | 'workspaceId'>,
): Promise<Membership[]> {
  const memberships = await membershipsOf(tx, email)
  return workspaceId === null ? memberships : memberships.filter((one) => one.workspaceId === workspaceId)
}

/**
 * Locks them, in the order of their ids, and reads them again. To be called before links and sessions are written: whoever
 * removes a member locks the member first, too, so neither waits for the other, and no session is left of who was removed.
 */
export async function lockMemberships(
  tx: Transaction,
  reach: Pick<SessionRecord, 'email' | 'workspaceId'>,
): Promise<Membership[]> {
  for (const id of idsOf(await membershipsReached(tx, reach))) await lockMember(tx, id, reach.email)
  return membershipsReached(tx, reach)
}

const isOver = ({ startedAt, seenAt }: SessionRecord, nowMs: number) =>
  nowMs - Date.parse(startedAt) >= MAX_AGE_MS || nowMs - Date.parse(seenAt) >= IDLE_MS

export interface SignedIn {
  /** For the cookie; the database keeps its hash. */
  secret: string
  /** The workspace to show first. */
  workspace: Membership
  /** All that the session reaches. */
  memberships: Membership[]
}

/** How somebody signed in; with a link, also who created it, if a member did. */
export type SignInWay = { by: 'oidc' } | { by: 'link'; createdBy?: string }

interface SignInRequest {
  email: string
  way: SignInWay
  /** The slug of the workspace to show first, if it is one of theirs. */
  first?: string | undefined
  /** The only workspace that the session is to reach; null for all of theirs. */
  workspaceId: string | null
}

/** Starts a session, if the person is a member of any workspace that it is to reach. */
export async function signIn(
  tx: Transaction,
  { email, way, first, workspaceId }: SignInRequest,
  nowMs: number,
): Promise<SignedIn | undefined> {
  const memberships = await lockMemberships(tx, { email, workspaceId })
  const workspace = memberships.find(({ slug }) => slug === first) ?? memberships[0]
  if (workspace === undefined) return undefined
  const secret = await startSession(tx, { email, memberships, way, workspaceId }, nowMs)
  return { secret, workspace, memberships }
}

interface NewSession extends Pick<SessionRecord, 'email' | 'workspaceId'> {
  memberships: Membership[]
  way: SignInWay
}

/** Returns the session's secret. */
export async function startSession(
  tx: Transaction,
  { email, memberships, way, workspaceId }: NewSession,
  nowMs: number,
): Promise<string> {
  const secret = createSecret()
  const now = textOf(nowMs)
  for (const id of idsOf(memberships)) await updateSignedInAt(tx, id, email, now)
  await deleteExpired(tx, nowMs)
  await keepSessions(tx, { email, workspaceId }, MAX_SESSIONS_PER_PERSON - 1)
  await insertSession(tx, { hash: hashSecret(secret), email, startedAt: now, seenAt: now, workspaceId })
  await auditEverywhere(tx, { email, memberships }, 'session.started', { ...way }, now)
  return secret
}

/** Called whenever something is added, so that the tables stay small without a timer. */
export const deleteExpired = (tx: Transaction, nowMs: number): Promise<void> =>
  deleteExpiredSignIns(tx, {
    now: textOf(nowMs),
    startedBefore: textOf(nowMs - MAX_AGE_MS),
    seenBefore: textOf(nowMs - IDLE_MS),
  })

export const recordUse = (tx: Transaction, { hash, nowMs }: Session): Promise<void> =>
  touchSession(tx, hash, textOf(nowMs))

export async function endSession(tx: Transaction, session: Session): Promise<void> {
  await deleteSession(tx, session.hash)
  await auditEverywhere(tx, session, 'session.ended', {}, textOf(session.nowMs))
}

/** Whoever locks several workspaces takes them in this order, so that no two wait for each other. */
const idsOf = (memberships: Membership[]): string[] => memberships.map(({ workspaceId }) => workspaceId).sort()

/** A person signs in to all workspaces of a session at once, so it is in the log of each. */
async function auditEverywhere(
  tx: Transaction,
  { email, memberships }: Pick<Session, 'email' | 'memberships'>,
  action: string,
  detail: Record<string, unknown>,
  at: string,
): Promise<void> {
  for (const workspaceId of idsOf(memberships))
    await appendAudit(tx, { at, workspaceId, actor: email, action, subject: email, detail })
}

/** The membership that the session's person has now, read again within a transaction; undefined if either has ended. */
export async function currentMembership(
  tx: Transaction,
  { hash }: Session,
  workspaceId: string,
): Promise<Membership | undefined> {
  const session = await findSession(tx, hash)
  const memberships = session === undefined ? [] : await membershipsReached(tx, session)
  return memberships.find((membership) => membership.workspaceId === workspaceId)
}
