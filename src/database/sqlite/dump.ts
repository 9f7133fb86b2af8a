import type { DatabaseSync } from 'node:sqlite'
import { quoted } from '../table.ts'
import { type CopiedTable, dumpTables } from '../tables/copied-tables.ts'
import { connectForReading } from './connect.ts'
import { COPY_SUFFIX, SEQ_OFFSET } from './frozen.ts'
import { SqliteTransaction } from './transaction.ts'

/** Reads one snapshot, on its own connection. */
export async function* dump(path: string, tables: readonly CopiedTable[], withOrphans: boolean) {
  using db = connectForReading(path)
  db.exec('BEGIN')
  yield* dumpTables(new SqliteTransaction(db, 0), tables, (table) => rowsSql(db, table, withOrphans))
}

/** Reads the copy of rows that are being changed in steps. */
function rowsSql(db: DatabaseSync, { name, identity }: CopiedTable, withOrphans: boolean): string {
  if (identity !== 'seq') return `* FROM ${quoted(name)}`
  const workspaceId = `rtrim(workspace_id, '${COPY_SUFFIX}')`
  const isCopy = `workspace_id GLOB '*${COPY_SUFFIX}'`
  const isThere = withOrphans ? '' : `AND ${workspaceId} IN (SELECT id FROM workspaces)`
  const frozen = `SELECT workspace_id FROM frozen WHERE table_name = '${name}'`
  if (db.prepare(frozen).get() === undefined) return `* FROM ${quoted(name)} WHERE NOT ${isCopy} ${isThere}`
  const columns = db.prepare('SELECT name FROM pragma_table_info(?)').all(name)
  const values = columns.map(({ name: column }) => {
    if (column === 'seq') return `iif(seq < 0, seq + ${SEQ_OFFSET}, seq) AS seq`
    return column === 'workspace_id' ? `${workspaceId} AS workspace_id` : quoted(String(column))
  })
  return `${values.join(', ')} FROM ${quoted(name)} WHERE (${isCopy}) = (${workspaceId} IN (${frozen})) ${isThere}`
}

export const insertSql = (table: string, columns: string[]): string =>
  `INSERT INTO ${quoted(table)} (${columns.map(quoted).join(', ')})
   SELECT ${columns.map((column) => `value ->> '${column}'`).join(', ')} FROM json_each(?)`

/** Clients hold etags with the original's revisions. No database has had as many changes as there have been microseconds since 1970. */
export const newRevisionsSql = (nowMs: number) => `UPDATE revisions SET number = max(number + 1, ${nowMs * 1000})`
