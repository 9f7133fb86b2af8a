import type { SessionRecord } from '../database/session-record.ts'
import type { Transaction } from '../database/store.ts'
import { isoOf } from '../lib/instant.ts'
import { hashSecret } from '../lib/secret.ts'
import { activeSessionsOf, endSession, SESSION_SECONDS, type Session, type SignInMethod } from './sessions.ts'

/** Enough to spot a sign-in by someone else. */
const MAX_SHOWN = 50

export interface SignIn {
  at: string
  /** Null if the audit log no longer contains it. */
  method: SignInMethod | null
  /** Null if the session has ended. */
  active: { id: string; device: string | null; seenAt: string; isCurrent: boolean; mayEnd: boolean } | null
}

/** Identifies a session in forms without revealing its hash. */
const sessionIdOf = ({ hash }: Pick<SessionRecord, 'hash'>): string => hashSecret(hash).slice(0, 18)

/** The creator of a link to one workspace must not sign the person out of others. */
const mayEnd = (session: Session, other: SessionRecord): boolean =>
  session.workspaceId === null || session.workspaceId === other.workspaceId

/** Covers the maximum lifetime of a session, newest first. */
export async function signInsOf(tx: Transaction, session: Session, workspaceId: string): Promise<SignIn[]> {
  const from = isoOf(session.nowMs - SESSION_SECONDS * 1000)
  const entries = await tx.all<{ at: string; detail: string }>(
    `SELECT at, detail FROM audit WHERE workspace_id = ? AND at >= ? AND action = 'session.started' AND subject = ?
     ORDER BY at DESC, number DESC LIMIT ?`,
    ...[workspaceId, from, session.email, MAX_SHOWN],
  )
  const started = entries.map(({ at, detail }) => ({ at, method: JSON.parse(detail) as SignInMethod }))
  const all = await activeSessionsOf(tx, session.email, session.nowMs)
  const active = all
    .filter((other) => other.workspaceId === null || other.workspaceId === workspaceId)
    .map((other): SignIn => {
      const entry = started.findIndex(({ at }) => at === other.startedAt)
      const [{ method = null } = {}] = started.splice(entry, entry < 0 ? 0 : 1)
      const { startedAt: at, seenAt, hash, device } = other
      const isCurrent = hash === session.hash
      return {
        at,
        method,
        active: { id: sessionIdOf(other), device, seenAt, isCurrent, mayEnd: mayEnd(session, other) },
      }
    })
  const ended = started.map((entry): SignIn => ({ ...entry, active: null }))
  return [...active, ...ended].sort((a, b) => (a.at < b.at ? 1 : -1))
}

/** Returns false if it had already ended, or if this session may not end it. */
export async function endSignIn(tx: Transaction, session: Session, id: string): Promise<boolean> {
  const all = await activeSessionsOf(tx, session.email, session.nowMs)
  const other = all.find((one) => sessionIdOf(one) === id)
  return other !== undefined && mayEnd(session, other) && endSession(tx, other, session)
}
