import type { SqlConnection, SqlValue } from '../../database/connection.ts'
import { revisionAt } from '../../database/statements.ts'
import type { Slices } from '../../lib/turns.ts'
import type { Moment } from '../query.ts'
import type { ListRows, RowHistory } from '../rows.ts'
import { byPlace, type Placed, placed } from '../sort-key.ts'
import { batchesOf, OF_LIST, type OfList } from './items.ts'
import { tracesAfter } from './traces.ts'

const KNOWN_FROM = `SELECT known_from AS "knownFrom" FROM stored_lists WHERE ${OF_LIST}
  UNION ALL SELECT known_from FROM revisions WHERE workspace_id = ?`

/** They are short. A thousand take a few milliseconds. */
const PLACES_AT_ONCE = 1000

interface Found {
  id: string
  seq: number
  sortKey: string
  /** What the rows are read in the order of. */
  at: string | number
}

/** Finds changed rows by their revisions, and by when they appeared, so that it takes as long as there are such rows. */
export function historyOf(
  db: Pick<SqlConnection, 'all'>,
  ofList: OfList,
  rows: Omit<ListRows, 'history'>,
  slices: Slices,
): RowHistory {
  return {
    async knownFrom() {
      const found = await db.all<{ knownFrom: number }>(KNOWN_FROM, ...ofList, ofList[0])
      const revision = Math.max(...found.map(({ knownFrom }) => knownFrom), 0)
      return { revision, ms: Math.ceil((revision + 1) / revisionAt(1)) }
    },

    async changed(since, until, entered) {
      const all = new Map<string, Placed>()
      await find(all, until, 'revision', since.revision + 1)
      await find(all, until, 'shown_from', since.ms + 1)
      if (entered !== undefined) await find(all, until, 'sort_key', entered.from, entered.before)
      return only([...all.values()].sort(byPlace))
    },

    traces: (revision) => tracesAfter(db, ofList, revision),
  }

  async function find(all: Map<string, Placed>, until: Moment, column: string, from: SqlValue, before?: SqlValue) {
    const sql = `SELECT id, seq, sort_key AS "sortKey", ${column} AS at FROM list_items
      WHERE ${OF_LIST} AND sort_key IS NOT NULL AND ${column} IS NOT NULL AND revision <= ? AND (shown_from IS NULL OR shown_from <= ?)
        ${before === undefined ? '' : `AND ${column} < ?`} AND (${column}, seq) > (?, ?)
      ORDER BY ${column}, seq LIMIT ${PLACES_AT_ONCE}`
    const params = [...ofList, until.revision, until.ms, ...(before === undefined ? [] : [before])]
    // No seq is 0.
    let after: [SqlValue, number] = [from, 0]
    for (;;) {
      await slices.pause()
      const found = await db.all<Found>(sql, ...params, ...after)
      for (const { id, seq, sortKey } of found) all.set(id, placed(id, [sortKey, seq]))
      const last = found[PLACES_AT_ONCE - 1]
      if (last === undefined) return
      after = [last.at, last.seq]
    }
  }

  function only(found: readonly Placed[]): ListRows {
    return {
      ...rows,
      shown: undefined,
      async *walk({ after, ...walk }) {
        const start = after && placed('', after)
        const rest = start === undefined ? found : found.filter((row) => byPlace(start, row) < 0)
        for (const batch of batchesOf(rest)) yield* rows.walk({ ...walk, ids: batch.map(({ id }) => id) })
      },
    }
  }
}
