import type { Source } from './sources.ts'

/** A sync that is repeated may be late by as much as this before something is wrong with it. */
const MISSED_INTERVALS = 3
const GRACE_MS = 60_000
/** As long as a repeated sync waits after failures, unless its interval is longer. */
export const MAX_BACKOFF_MS = 600_000

/**
 * How a source fares. Overdue: nobody has tried for longer than its interval explains. Abandoned: it never had a single
 * success, and is not tried any more, as when its name was misspelt.
 */
export type SourceState = 'synced' | 'failing' | 'overdue' | 'abandoned'

/** What its state depends on. */
export type SourceTimes = Pick<Source, 'createdAt' | 'attemptedAt' | 'syncedAt' | 'failingSince' | 'everySeconds'>

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
