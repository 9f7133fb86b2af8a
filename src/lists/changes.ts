import { revisionAt } from '../database/statements.ts'
import { DAY_MS } from '../lib/duration.ts'
import type { Row } from './column.ts'
import type { List } from './definition.ts'
import { conditionOf, type RowCondition } from './filters.ts'
import { matchesOf } from './matches.ts'
import type { ChangesRequest, Filters, Gone, Moment } from './query.ts'
import { CHANGES_KNOWN_DAYS, ChangesUnknownError, MAX_GONE } from './query.ts'
import type { ListRows, RowHistory, Trace } from './rows.ts'

/**
 * What is new or different in the rows that match, and what is gone from them. Rows change when they are written and when they appear,
 * and rows that filters such as `today` match change with the time, too. What is gone follows from the traces that writes leave. They
 * have no searched words: an id may be reported as gone that did not match them.
 */
interface Changes {
  /** Only the rows that changed. */
  rows: ListRows
  until: Moment
  gone(): Promise<Gone>
}

/** Of rows that others write, the revision is not known. */
export const momentOf = ({ revision = 0 }: ListRows, ms: number): Moment => ({ revision, ms })

/** What happened at the time itself is a change since then. */
export const momentBefore = (ms: number): Moment => ({ revision: revisionAt(ms) - 1, ms: ms - 1 })

export async function readChanges(
  list: List,
  rows: ListRows,
  now: number,
  filters: Filters,
  { since, until = momentOf(rows, Math.max(now, since.ms)), formerFilters }: ChangesRequest,
): Promise<Changes> {
  const history = await knownHistory(rows, now, since)
  const condition = conditionOf(list.filters, filters)
  const former = conditionOf(list.filters, formerFilters)
  const { entered, left } = movedBounds(former, condition)
  return { rows: await history.changed(since, until, entered), until, gone }

  async function gone(): Promise<Gone> {
    const seen = new Set<string>()
    const ids: string[] = []
    const traced = await tracedSince(until)
    for await (const some of formerMatches(traced)) {
      // Later pages of the last result may have shown what a row was after `since`.
      const matched = some.filter(({ id, isMatch }) => isMatch && !seen.has(id) && seen.add(id)).map(({ id }) => id)
      const present = new Set(matched.filter((id) => isPresent(traced.get(id))))
      const unchanged = matched.filter((id) => !traced.has(id))
      if (unchanged.length > 0)
        for await (const found of matchesOf(rows, { ...condition, ids: unchanged }))
          for (const id of idsOf(found)) present.add(id)
      ids.push(...matched.filter((id) => !present.has(id)))
      if (ids.length > MAX_GONE) return { ids: ids.slice(0, MAX_GONE), isPartial: true }
    }
    return { ids, isPartial: false }
  }

  /** What rows were at a moment, if they left a trace after it, as they do between two pages. */
  async function tracedSince({ revision }: Moment): Promise<Map<string, Trace>> {
    const first = new Map<string, Trace>()
    for await (const traces of history.traces(revision))
      for (const trace of traces) if (!first.has(trace.id)) first.set(trace.id, trace)
    return first
  }

  function isPresent(trace: Trace | undefined): boolean {
    const { matches = () => true } = condition
    return trace !== undefined && isShownBy(trace, Math.min(until.ms, now)) && matches(trace.row)
  }

  async function* formerMatches(
    traced: ReadonlyMap<string, Trace>,
  ): AsyncGenerator<{ id: string; isMatch: boolean }[]> {
    const { matches = () => true } = former
    const isMatch = (trace: Trace) => {
      // A row that appeared after the moment may be on a later page of the same result. A forged moment may be in the future.
      const writtenAt = Math.max(since.ms, trace.revision / revisionAt(1))
      return isShownBy(trace, Math.min(writtenAt, until.ms, now)) && matches(trace.row)
    }
    for await (const traces of history.traces(since.revision))
      yield traces
        .filter((trace) => trace.revision <= until.revision || trace.revision === traced.get(trace.id)?.revision)
        .map((trace) => ({ id: trace.id, isMatch: isMatch(trace) }))
    if (left !== undefined)
      for await (const some of matchesOf(rows, { ...former, ...left }))
        yield idsOf(some).map((id) => ({ id, isMatch: !traced.has(id) }))
  }
}

const isShownBy = ({ shownFrom }: Trace, ms: number) => shownFrom === null || shownFrom <= ms

const idsOf = (rows: readonly { body: string }[]) => rows.map(({ body }) => String((JSON.parse(body) as Row).id))

async function knownHistory({ history }: ListRows, now: number, since: Moment): Promise<RowHistory> {
  if (history === undefined) throw new ChangesUnknownError()
  const known = await history.knownFrom()
  const oldest = now - CHANGES_KNOWN_DAYS * DAY_MS
  if (since.revision < known.revision || since.ms < oldest) throw new ChangesUnknownError(Math.max(known.ms, oldest))
  return history
}

/** Which part of the order rows entered and left, if the conditions' bounds moved ahead with the time. */
function movedBounds(former: RowCondition, { from = '', before = '' }: RowCondition) {
  const { from: formerFrom = '', before: formerBefore = '' } = former
  return {
    ...(formerBefore < before && { entered: { from: from > formerBefore ? from : formerBefore, before } }),
    ...(formerFrom < from && { left: { before: from < formerBefore ? from : formerBefore } }),
  }
}
