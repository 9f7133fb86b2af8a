import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { CHUNK_ROWS, type CopiedTable, type TableChunk, Tally, withoutLeftBehind } from '../copied-tables.ts'
import { StorageError } from '../errors.ts'
import type { DumpOptions } from '../store.ts'
import { quoted, type Row } from '../table.ts'
import { isZone, LEARN_TIMEZONE } from '../timezones.ts'
import { connectForReading } from './connect.ts'
import { COPY_SUFFIX, SEQ_OFFSET } from './frozen.ts'

/** One snapshot, on its own connection, without what is written meanwhile. */
export async function* dump(
  path: string,
  tables: readonly CopiedTable[],
  { withOrphans = false }: DumpOptions = {},
): AsyncGenerator<TableChunk> {
  const db = connectForReading(path)
  try {
    db.exec('BEGIN')
    for (const table of tables) {
      let rows: TableChunk['rows'] = []
      const sql = `SELECT ${rowsSql(db, table, withOrphans)} ORDER BY ${table.order}`
      for (const row of db.prepare(sql).iterate()) {
        rows.push(withoutLeftBehind(row as Row, table))
        if (rows.length === CHUNK_ROWS) {
          yield { table: table.name, rows }
          rows = []
        }
      }
      yield { table: table.name, rows }
    }
  } finally {
    db.close()
  }
}

/** Of a resource's table, the rows that readers get: of those that are being changed in steps, the copy in their place. */
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

/** Within the caller's transaction. */
export async function load(
  db: DatabaseSync,
  tables: readonly CopiedTable[],
  chunks: AsyncIterable<TableChunk>,
): Promise<Map<string, number>> {
  for (const { name } of tables)
    if (count(db, name) > 0) throw new StorageError('the target is not empty; copy into a new one')
  const statements = new Map<string, { columns: string[]; insert: StatementSync }>()
  const tally = new Tally()
  for await (const chunk of chunks) {
    const { table, rows } = chunk
    tally.add(chunk)
    for (const row of rows) {
      if (table === 'workspaces' && isZone(row.timezone)) db.prepare(LEARN_TIMEZONE).run(row.timezone)
      const { columns, insert } = statements.get(table) ?? prepare(db, table, Object.keys(row), statements)
      insert.run(...columns.map((column) => row[column] ?? null))
    }
  }
  const counts = new Map(tables.map(({ name }) => [name, count(db, name)]))
  tally.verify(counts)
  return counts
}

function prepare(
  db: DatabaseSync,
  table: string,
  columns: string[],
  statements: Map<string, { columns: string[]; insert: StatementSync }>,
) {
  const places = columns.map(() => '?').join(', ')
  const prepared = {
    columns,
    insert: db.prepare(`INSERT INTO ${quoted(table)} (${columns.map(quoted).join(', ')}) VALUES (${places})`),
  }
  statements.set(table, prepared)
  return prepared
}

const count = (db: DatabaseSync, table: string) =>
  Number(db.prepare(`SELECT count(*) AS n FROM ${quoted(table)}`).get()?.n)
