import type { Row } from '../../lists/column.ts'
import { StorageError } from '../errors.ts'
import { countFrom } from '../statements.ts'
import type { SqlConnection, TableChunk } from '../store.ts'
import { importedColumns, jsonValue, markColumns, type NamedColumn, quoted, type Table } from '../table.ts'

export interface CopiedTable {
  name: string
  order: string
  /** The column that the database numbers automatically. */
  identity?: string
  /** Columns that are not copied: marks, and values that are valid for only one revision. */
  without: readonly string[]
  /** Columns whose stored form may differ from JSON's. */
  columns?: readonly NamedColumn[]
}

const ofResource = (table: Table): CopiedTable => ({
  name: table.name,
  order: 'seq',
  identity: 'seq',
  without: markColumns(table).map(({ name }) => name),
  columns: importedColumns(table).filter(({ kind }) => kind === 'boolean' || kind === 'texts'),
})

const inNoOrder = (name: string): CopiedTable => ({ name, order: '1', without: [] })
const byId = (name: string): CopiedTable => ({ name, order: 'id', identity: 'id', without: [] })

/** A source's validators are valid for one revision, so the target first downloads the whole snapshot again. */
const sources: CopiedTable = {
  ...inNoOrder('sources'),
  without: ['etag', 'last_modified', 'question', 'revision'],
}

/** Owners come first: workspaces before their rows, keys before their use. */
export const copiedTables = (tables: readonly Table[]): CopiedTable[] => [
  ...['workspaces', 'revisions'].map(inNoOrder),
  ...tables.map(ofResource),
  sources,
  ...['stored_lists', 'list_items'].map(inNoOrder),
  ...['api_keys', 'connection_tokens', 'key_use'].map(inNoOrder),
  ...['members', 'passkeys', 'notice_settings', 'notice_recipients', 'notice_events'].map(inNoOrder),
  byId('audit'),
  inNoOrder('audit_heads'),
]

/** Why these tables are not copied. A test fails for a table that is in neither list. */
export const notCopied: Record<string, string> = {
  migrations: 'the target has its own',
  resource_tables: 'the target has its own',
  declared_resources: 'the target has its own; only their sunsets are copied, before all else',
  quota_windows: 'not data: the target counts its own',
  timezones: 'the target has its own',
  frozen: 'never outlives a large change',
  notice_deliveries: 'the original sends what it has not sent yet',
  sessions: 'people sign in again',
  tickets: 'people sign in again',
  request_log: 'not data: the target records its own, for a week',
}

/** Small enough that even rows of 1 MiB each fit into memory. */
export const CHUNK_ROWS = 250

/** `selectOf` returns the part after SELECT that reads all rows of a table. */
export async function* dumpTables(
  connection: SqlConnection,
  tables: readonly CopiedTable[],
  selectOf: (table: CopiedTable) => string,
): AsyncGenerator<TableChunk> {
  for (const table of tables)
    for await (const rows of connection.batches<Row>(`SELECT ${selectOf(table)} ORDER BY ${table.order}`)) {
      for (const row of rows) {
        for (const column of table.without) delete row[column]
        for (const column of table.columns ?? []) row[column.name] = jsonValue(column, row[column.name] ?? null)
      }
      yield { table: table.name, rows }
    }
}

export async function checkEmpty(tx: SqlConnection, tables: readonly CopiedTable[]): Promise<void> {
  for (const { name } of tables)
    if ((await countFrom(tx, quoted(name))) > 0) throw new StorageError('the target is not empty; copy into a new one')
}

/** Runs in the caller's transaction. `insertOf` returns a statement whose parameter is a JSON array of rows. */
export async function loadTables(
  tx: SqlConnection,
  tables: readonly CopiedTable[],
  chunks: AsyncIterable<TableChunk>,
  insertOf: (table: string, columns: string[]) => string,
): Promise<Map<string, number>> {
  await checkEmpty(tx, tables)
  const received = new Map<string, number>()
  for await (const { table, rows } of chunks) {
    received.set(table, (received.get(table) ?? 0) + rows.length)
    if (rows[0] !== undefined) await tx.run(insertOf(table, Object.keys(rows[0])), JSON.stringify(rows))
  }
  const counts = new Map<string, number>()
  for (const { name } of tables) {
    counts.set(name, await countFrom(tx, quoted(name)))
    const [sent, stored] = [received.get(name) ?? 0, counts.get(name)]
    if (stored !== sent) throw new StorageError(`${name} has ${stored} rows in the target, but ${sent} in the original`)
  }
  return counts
}
