import type { SessionRecord, Transaction } from '../database/store.ts'
import { hashSecret } from '../lib/secret.ts'
import { activeSessionsOf, endSession, type Session } from './sessions.ts'

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
