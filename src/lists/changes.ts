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
    for await (const some of formerMatches()) {
      // Later pages of the last result may have shown what a row was after `since`.
      const matched = some.filter(({ id, isMatch }) => isMatch && !seen.has(id) && seen.add(id)).map(({ id }) => id)
      const present = new Set<string>()
      if (matched.length > 0)
        for await (const found of matchesOf(rows, { ...condition, ids: matched }))
          for (const id of idsOf(found)) present.add(id)
      ids.push(...matched.filter((id) => !present.has(id)))
      if (ids.length > MAX_GONE) return { ids: ids.slice(0, MAX_GONE), isPartial: true }
    }
    return { ids, isPartial: false }
  }

  async function* formerMatches(): AsyncGenerator<{ id: string; isMatch: boolean }[]> {
    const { matches = () => true } = former
    const isMatch = ({ revision, shownFrom, row }: Trace) => {
      // A row that appeared after the moment may be on a later page of the same result. A forged moment may be in the future.
      const shownBy = Math.min(Math.max(since.ms, revision / revisionAt(1)), now)
      return (shownFrom === null || shownFrom <= shownBy) && matches(row)
    }
    for await (const traces of history.traces(since.revision))
      yield traces
        .filter(({ revision }) => revision <= until.revision)
        .map((trace) => ({ id: trace.id, isMatch: isMatch(trace) }))
    if (left !== undefined)
      for await (const some of matchesOf(rows, { ...former, ...left }))
        yield idsOf(some).map((id) => ({ id, isMatch: true }))
  }
}

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
