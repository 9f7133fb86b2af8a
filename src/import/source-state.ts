import type { Queries } from '../database/queries.ts'
import type { Source } from './sources.ts'

/** A sync that is repeated may be late by as much as this before something is wrong with it. */
const MISSED_INTERVALS = 3
const GRACE_MS = 60_000
/** As long as a repeated sync waits after failures, unless its interval is longer. */
export const MAX_BACKOFF_MS = 600_000

/**
 * How a source fares. Overdue: it was not attempted for longer than its interval explains. Abandoned: it never had a single
 * success, and is not attempted any more, as when its name was misspelt.
 */
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

/** How the sources of all workspaces that are not archived fare. */
export interface SourceFigures {
  states: Record<SourceState, number>
  /** Of the last successes, the one longest ago, without abandoned sources. Undefined if there is none. */
  oldestSuccessMs: number | undefined
}

const sourceTimes = (schema: string) =>
  `SELECT s.created_at AS "createdAt", s.attempted_at AS "attemptedAt", s.synced_at AS "syncedAt",
     s.failing_since AS "failingSince", s.every_seconds AS "everySeconds"
   FROM ${schema}sources s JOIN ${schema}workspaces w ON w.id = s.workspace_id WHERE w.archived_at IS NULL`

/** For monitoring, over the connections that can only read. Of the viewpoint, only the time counts. */
export const sourceFigures: Queries<undefined, SourceFigures> = {
  sqlite({ db }) {
    const statement = db.prepare(sourceTimes(''))
    return async ({ now }) => figuresOf(statement.iterate() as Iterable<unknown> as Iterable<SourceTimes>, now)
  },
  postgres({ read }) {
    const statement = { name: 'source figures', text: sourceTimes('vitrine.') }
    return async ({ now }) => figuresOf(await read<SourceTimes>(statement), now)
  },
}

function figuresOf(sources: Iterable<SourceTimes>, now: number): SourceFigures {
  const states: SourceFigures['states'] = { synced: 0, failing: 0, overdue: 0, abandoned: 0 }
  let oldestSuccessMs: number | undefined
  for (const source of sources) {
    const state = sourceStateOf(source, now)
    states[state]++
    if (state === 'abandoned' || source.syncedAt === null) continue
    oldestSuccessMs = Math.min(oldestSuccessMs ?? Number.POSITIVE_INFINITY, Date.parse(source.syncedAt))
  }
  return { states, oldestSuccessMs }
}
