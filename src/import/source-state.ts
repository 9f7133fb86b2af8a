import type { PublicReads } from '../database/store.ts'
import type { Source } from './sources.ts'

/** How many intervals a repeated sync may miss before it counts as overdue. */
const MISSED_INTERVALS = 3
const GRACE_MS = 60_000
/** The longest wait between retries of a repeated sync, unless its interval is longer. */
export const MAX_BACKOFF_MS = 600_000

/** Abandoned sources never succeeded and are no longer attempted, for example because the name was misspelt. */
export type SourceState = 'synced' | 'failing' | 'overdue' | 'abandoned'

type SourceTimes = Pick<Source, 'createdAt' | 'attemptedAt' | 'syncedAt' | 'failingSince' | 'everySeconds'>

export function sourceStateOf(source: SourceTimes, nowMs: number): SourceState {
  const { attemptedAt, syncedAt, failingSince, everySeconds } = source
  const backoffMs = failingSince === null ? 0 : MAX_BACKOFF_MS
  const isLate =
    everySeconds !== null &&
    Date.parse(attemptedAt ?? source.createdAt) +
      Math.max(MISSED_INTERVALS * everySeconds * 1000, backoffMs) +
      GRACE_MS <
      nowMs
  if (syncedAt === null && isLate) return 'abandoned'
  if (failingSince !== null) return 'failing'
  return isLate ? 'overdue' : 'synced'
}

export type SourceStats = Awaited<ReturnType<typeof sourceStats>>

const SOURCE_TIMES = `
   SELECT s.created_at AS "createdAt", s.attempted_at AS "attemptedAt", s.synced_at AS "syncedAt",
     s.failing_since AS "failingSince", s.every_seconds AS "everySeconds"
   FROM sources s JOIN workspaces w ON w.id = s.workspace_id WHERE w.archived_at IS NULL`

/** Covers all workspaces that are not archived. The oldest success ignores abandoned sources. */
export async function sourceStats(store: PublicReads, now: number) {
  const states: Record<SourceState, number> = { synced: 0, failing: 0, overdue: 0, abandoned: 0 }
  let oldestSuccessMs: number | undefined
  for (const source of await store.rows<SourceTimes>('source stats', SOURCE_TIMES)) {
    const state = sourceStateOf(source, now)
    states[state]++
    if (state === 'abandoned' || source.syncedAt === null) continue
    oldestSuccessMs = Math.min(oldestSuccessMs ?? Number.POSITIVE_INFINITY, Date.parse(source.syncedAt))
  }
  return { states, oldestSuccessMs }
}
