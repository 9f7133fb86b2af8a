import type { SessionRecord } from '../store.ts'
import type { SessionPool } from './session-pool.ts'

/**
 * Cookies are anybody's to invent, so the look for their sessions is shared and waits for no transaction but the one under
 * way. Beyond these bounds requests are turned away.
 */
export const FINDING_SESSIONS = { maxUnderWay: 1, maxWaiting: 1000, maxWaitingForOne: 100 }

type Row = SessionRecord & { now: string }

/** Many in one statement; what is not there costs a look into an index. */
export async function findSessions(pool: SessionPool, hashes: string[]) {
  const { rows } = await pool.query<Row>({
    name: 'find sessions',
    text: `SELECT hash, email, started_at AS "startedAt", seen_at AS "seenAt", clock_timestamp() AS now
           FROM vitrine.sessions WHERE hash = ANY ($1::text[])`,
    values: [hashes],
  })
  const found = new Map(rows.map(({ now, ...session }) => [session.hash, { session, nowMs: Date.parse(now) }]))
  return (hash: string) => found.get(hash)
}
