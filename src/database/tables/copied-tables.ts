import type { Row } from '../../lists/column.ts'
import type { SqlConnection, SqlValue } from '../connection.ts'
import { StorageError } from '../errors.ts'
import { countFrom, quoted } from '../statements.ts'
import type { TableChunk } from '../store.ts'

interface CopiedTable {
  name: string
  order: string
  /** The column that the database numbers automatically. */
  identity?: string
}

const inNoOrder = (name: string): CopiedTable => ({ name, order: '1' })
const byId = (name: string): CopiedTable => ({ name, order: 'id', identity: 'id' })

/** Owners come first: workspaces before their rows, keys before their use. */
export const copiedTables: readonly CopiedTable[] = [
  ...['workspaces', 'revisions', 'sources', 'stored_lists', 'list_items', 'list_traces'].map(inNoOrder),
  ...['api_keys', 'connection_tokens', 'key_use'].map(inNoOrder),
  ...['members', 'passkeys', 'notice_settings', 'notice_recipients', 'notice_events'].map(inNoOrder),
  byId('audit'),
  inNoOrder('audit_heads'),
]

/** Why these tables are not copied. A test fails for a table that is in neither list. */
export const notCopied: Record<string, string> = {
  migrations: 'the target has its own',
  declared_resources: 'the target has its own; only their sunsets are copied, before all else',
  quota_windows: 'not data: the target counts its own',
  notice_deliveries: 'the original sends what it has not sent yet',
  sessions: 'people sign in again',
  tickets: 'people sign in again',
  request_log: 'not data: the target records its own, for a week',
}

/** SQLite's names are case-insensitive. */
export const isStoredTable = (name: string): boolean =>
  Object.hasOwn(notCopied, name.toLowerCase()) || copiedTables.some((table) => table.name === name.toLowerCase())

/** Small enough that even rows of 1 MiB each fit into memory. */
export const CHUNK_ROWS = 250

export async function* dumpTables(connection: SqlConnection): AsyncGenerator<TableChunk> {
  for (const { name, order } of copiedTables)
    for await (const rows of connection.batches<Row>(`SELECT * FROM ${quoted(name)} ORDER BY ${order}`))
      yield { table: name, rows }
}

export async function checkEmpty(tx: SqlConnection): Promise<void> {
  for (const { name } of copiedTables)
    if ((await countFrom(tx, quoted(name))) > 0) throw new StorageError('the target is not empty; copy into a new one')
}

/** Runs in the caller's transaction. */
export async function loadTables(tx: SqlConnection, chunks: AsyncIterable<TableChunk>): Promise<Map<string, number>> {
  await checkEmpty(tx)
  const received = new Map<string, number>()
  for await (const { table, rows } of chunks) {
    received.set(table, (received.get(table) ?? 0) + rows.length)
    const columns = Object.keys(rows[0] ?? {})
    const values = rows.map((row) => columns.map((column) => row[column] as SqlValue))
    await tx.insert(`INSERT INTO ${quoted(table)} (${columns.map(quoted).join(', ')})`, values, '')
  }
  const counts = new Map<string, number>()
  for (const { name } of copiedTables) {
    counts.set(name, await countFrom(tx, quoted(name)))
    const [sent, stored] = [received.get(name) ?? 0, counts.get(name)]
    if (stored !== sent) throw new StorageError(`${name} has ${stored} rows in the target, but ${sent} in the original`)
  }
  return counts
}
