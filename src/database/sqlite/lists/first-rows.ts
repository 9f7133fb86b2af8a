import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { isoOf } from '../../../lib/instant.ts'
import { currentSql, type MarkIfMany } from '../../lists/hidden-rows.ts'
import type { BodyReading, ListReader, QueryableList } from '../../lists/reader.ts'
import { prepareIndexed } from '../faults.ts'
import { copyOf, frozenIn } from '../frozen.ts'
import { stateIn, stateSql } from './hidden-rows.ts'
import { objectSql, SQLITE, selectSql } from './list.ts'
import type { SqliteRow } from './sliced-state.ts'

/** The limit is part of the text: SQLite is a third slower if it is a parameter. Exported for tests of its plans. */
export function firstRowsSql(list: QueryableList, isMerged: boolean): string {
  const rows = list.compileFilters({}, SQLITE, () => '')
  const { table } = list
  return selectSql(table, rows, isMerged)(`${objectSql(table)} AS _object`, [], `LIMIT ${table.listing.limit}`)
}

export function firstRowsReader(
  list: QueryableList,
  db: DatabaseSync,
  markIfMany: MarkIfMany,
): ListReader['firstRows'] {
  const isFrozen = frozenIn(db, list.table.name)
  const [begin, end] = [db.prepare('BEGIN'), db.prepare('COMMIT')]
  const findState = list.table.listing.hidden && prepareIndexed(db, stateSql(currentSql(list.table, SQLITE)))
  // Read as bytes, because converting to a string and back would take longer than the read.
  const [inOrder, merged] = [false, true].map((isMerged) =>
    prepareIndexed(
      db,
      `SELECT CAST(concat('{"${list.table.name}":[', group_concat(_object, ','), ']}') AS BLOB) AS json
      FROM (${firstRowsSql(list, isMerged)})`,
    ),
  ) as [StatementSync, StatementSync]
  const read = (workspace: string, now: number): BodyReading => {
    const at: SqliteRow = { workspace, ...(findState && { now: isoOf(now) }) }
    const { until, unmarked } = stateIn(findState?.get(at))
    markIfMany(unmarked, workspace, now)
    const { json } = (unmarked > 0 ? merged : inOrder).get(at) as unknown as { json: Uint8Array }
    return { body: Buffer.from(json.buffer, json.byteOffset, json.byteLength), until }
  }
  return async ({ workspaceId, now }) => {
    // One state, so that the response and its `until` agree.
    begin.run()
    try {
      return read(isFrozen(workspaceId) ? copyOf(workspaceId) : workspaceId, now)
    } finally {
      end.run()
    }
  }
}
