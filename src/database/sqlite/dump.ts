import { quoted } from '../statements.ts'
import { dumpTables } from '../tables/copied-tables.ts'
import { connectForReading } from './connect.ts'
import { SqliteTransaction } from './transaction.ts'

/** Reads one snapshot, on its own connection. */
export async function* dump(path: string) {
  using db = connectForReading(path)
  db.exec('BEGIN')
  yield* dumpTables(new SqliteTransaction(db, 0))
}

export const insertSql = (table: string, columns: string[]): string =>
  `INSERT INTO ${quoted(table)} (${columns.map(quoted).join(', ')})
   SELECT ${columns.map((column) => `value ->> '${column}'`).join(', ')} FROM json_each(?)`

/** Clients hold etags with the original's revisions. No database has had as many changes as there have been microseconds since 1970. */
export const newRevisionsSql = (nowMs: number) => `UPDATE revisions SET number = max(number + 1, ${nowMs * 1000})`
