import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { isoOf } from '../../lib/instant.ts'
import { currentSql, MANY_UNMARKED } from '../expiry.ts'
import type { QuestionedList, Read, Reading, SqliteReads, WholeBody } from '../queries.ts'
import { markExpired, stateIn, stateSql } from './expiry.ts'
import { prepareIndexed } from './faults.ts'
import { copyOf, frozenIn } from './frozen.ts'
import { objectSql, SQLITE, selectSql } from './list.ts'

/** The limit is part of the text: SQLite is a third slower if it is a parameter. Exported so that tests can check its plans. */
export function wholeSql(list: QuestionedList, limit: number, isMerged: boolean): string {
  const rows = list.open({}, SQLITE, () => '')
  return selectSql(list, rows, isMerged)(`${objectSql(list.table)} AS _object`, [], `LIMIT ${limit}`)
}

export function wholeReader(
  list: QuestionedList,
  { limit, before, after }: WholeBody,
  { db, usesDb, background }: SqliteReads,
): Read<object> {
  const { unmarkedRows = '', ...current } = currentSql(list, SQLITE)
  const isFrozen = frozenIn(db, list.table.name)
  const [begin, end] = [db.prepare('BEGIN'), db.prepare('COMMIT')]
  const marks = list.expiry && {
    update: markExpired(list.expiry, unmarkedRows, usesDb),
    findState: prepareIndexed(db, stateSql(current)),
  }
  // Read as bytes, because converting to a string and back would take longer than the read.
  const statement = (isMerged: boolean) =>
    prepareIndexed(
      db,
      `SELECT CAST(concat(:before, group_concat(_object, ','), :after) AS BLOB) AS json
      FROM (${wholeSql(list, limit, isMerged)})`,
    )
  const inOrder = statement(false)
  let merged: StatementSync | undefined
  const read = (workspace: string, now: number): Reading => {
    const at: Record<string, SQLInputValue> = { workspace, ...(marks && { now: isoOf(now) }) }
    const { until, unmarked } = stateIn(marks?.findState.get(at))
    if (marks !== undefined && unmarked > MANY_UNMARKED) background.request(marks.update, workspace, now)
    if (unmarked > 0) merged ??= statement(true)
    const rows = unmarked > 0 && merged !== undefined ? merged : inOrder
    const { json } = rows.get({ ...at, before, after }) as unknown as { json: Uint8Array }
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
