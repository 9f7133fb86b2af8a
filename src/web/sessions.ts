import { appendAudit } from '../audit/log.ts'
import type { SessionRecord, Transaction } from '../database/store.ts'
import { type Membership, membershipsOf } from '../members/records.ts'
import { deleteExpiredSignIns, deleteSession, insertSession, keepSessions } from '../members/sign-in-records.ts'
import type { SettingsParts } from './parts.ts'
import { csrfOf, hashSecret, isSecret, makeSecret } from './secret.ts'

const HOUR_MS = 3_600_000
/** Unused for so long, a session ends. */
const IDLE_MS = 12 * HOUR_MS
/** However much it is used, it ends then. */
const LONGEST_MS = 7 * 24 * HOUR_MS
export const LONGEST_SECONDS = LONGEST_MS / 1000
/** When it was last used is written down no more often than this. */
const TOUCH_EVERY_MS = 5 * 60_000

/** A person's browsers, and then some; to sign in once more ends the session that was used least recently. */
const MAX_SESSIONS_OF_PERSON = 20

/** A person who is signed in, and what they may see. */
export interface Visit {
  hash: string
  email: string
  csrf: string
  memberships: Membership[]
  /** Whether it is time to write down that the session is in use. */
  isStale: boolean
  /** The time of the request. */
  nowMs: number
}

const textOf = (ms: number) => new Date(ms).toISOString()

/**
 * The session of a cookie's secret, if it is one, has not ended, and its person is still a member somewhere. What cannot be a
 * secret costs nothing, and one that is nobody's no transaction.
 */
export async function findVisit(
  { store, clock }: Pick<SettingsParts, 'store' | 'clock'>,
  secret: string | undefined,
): Promise<Visit | undefined> {
  if (!isSecret(secret)) return undefined
  const found = await store.findSession(hashSecret(secret))
  if (found === undefined) return undefined
  const { hash, email, seenAt } = found.session
  const nowMs = clock?.() ?? found.nowMs
  if (hasEnded(found.session, nowMs)) return undefined
  const memberships = await store.read((tx) => membershipsOf(tx, email))
  if (memberships.length === 0) return undefined
  const isStale = nowMs - Date.parse(seenAt) >= TOUCH_EVERY_MS
  return { hash, email, csrf: csrfOf(secret), memberships, isStale, nowMs }
}

const hasEnded = ({ startedAt, seenAt }: SessionRecord, nowMs: number) =>
  nowMs - Date.parse(startedAt) >= LONGEST_MS || nowMs - Date.parse(seenAt) >= IDLE_MS

/** Gives the secret for the cookie; storage keeps its hash. */
export async function startSession(
  tx: Transaction,
  { email, memberships, by }: { email: string; memberships: Membership[]; by: 'link' | 'oidc' },
  nowMs: number,
): Promise<string> {
  const secret = makeSecret()
  const now = textOf(nowMs)
  await forgetEnded(tx, nowMs)
  await keepSessions(tx, email, MAX_SESSIONS_OF_PERSON - 1)
  await insertSession(tx, { hash: hashSecret(secret), email, startedAt: now, seenAt: now })
  await auditEverywhere(tx, { email, memberships }, 'session.started', { by }, now)
  return secret
}

/** Done on the occasions that add to what is kept, so that it stays small without a timer. */
export const forgetEnded = (tx: Transaction, nowMs: number): Promise<void> =>
  deleteExpiredSignIns(tx, {
    now: textOf(nowMs),
    startedBefore: textOf(nowMs - LONGEST_MS),
    seenBefore: textOf(nowMs - IDLE_MS),
  })

export async function endSession(tx: Transaction, visit: Visit, nowMs: number): Promise<void> {
  await deleteSession(tx, visit.hash)
  await auditEverywhere(tx, visit, 'session.ended', {}, textOf(nowMs))
}

/** A person signs in to all their workspaces at once, so each of them is told. In the order that `audit` asks for. */
async function auditEverywhere(
  tx: Transaction,
  { email, memberships }: Pick<Visit, 'email' | 'memberships'>,
  action: string,
  detail: Record<string, unknown>,
  at: string,
): Promise<void> {
  for (const workspaceId of memberships.map(({ workspaceId }) => workspaceId).sort())
    await appendAudit(tx, { at, workspaceId, actor: email, action, subject: email, detail })
}
