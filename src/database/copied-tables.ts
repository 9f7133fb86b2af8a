import { StorageError } from './errors.ts'
import { markColumns, type Row, type Table } from './table.ts'

/** A table that a copy takes along. */
export interface CopiedTable {
  name: string
  /** The columns to order by: that of creation, where it means something. */
  order: string
  /** A number that the database itself counts up. */
  identity?: string
  /** Columns that are left behind: marks, and what was learnt over one revision, which the target counts for itself. */
  without: readonly string[]
}

const ofResource = (table: Table): CopiedTable => ({
  name: table.name,
  order: 'seq',
  identity: 'seq',
  without: markColumns(table).map(({ name }) => name),
})

const inNoOrder = (name: string): CopiedTable => ({ name, order: '1', without: [] })
const byId = (name: string): CopiedTable => ({ name, order: 'id', identity: 'id', without: [] })

/** A source's validators hold for one revision of its workspace: the target asks for the whole snapshot first. */
const sources: CopiedTable = {
  ...inNoOrder('sources'),
  without: ['etag', 'last_modified', 'question', 'revision'],
}

/** All tables that a copy takes along, owners first: workspaces before their rows, keys before their use. */
export const copiedTables = (tables: readonly Table[]): CopiedTable[] => [
  inNoOrder('workspaces'),
  ...tables.map(ofResource),
  sources,
  inNoOrder('api_keys'),
  inNoOrder('key_use'),
  inNoOrder('key_callers'),
  byId('key_incidents'),
  inNoOrder('members'),
  byId('audit'),
  inNoOrder('audit_heads'),
]

/** The other tables, and why a copy leaves them behind. A test knows of no third kind. */
export const notCopied: Record<string, string> = {
  migrations: 'the target has its own',
  resource_tables: 'the target has its own',
  revisions: 'not data: the target counts its own',
  quota_windows: 'not data: the target counts its own',
  timezones: 'the target has its own, and learns those of the workspaces',
  currency_codes: 'the target has its own',
  country_codes: 'the target has its own',
  frozen: 'never outlives a large change',
  own_changes: 'never outlives a transaction',
  sessions: 'people sign in again',
  tickets: 'people sign in again',
}

/** Some rows of one table: columns by name, instants in the one form. */
export interface TableChunk {
  table: string
  rows: Row[]
}

export function withoutLeftBehind(row: Row, { without }: CopiedTable): Row {
  for (const column of without) delete row[column]
  return row
}

/** Few enough that even rows of a mebibyte each fit into memory. */
export const CHUNK_ROWS = 250

/** Counts what arrives, and compares it at the end with what the target has. */
export class Tally {
  readonly #received = new Map<string, number>()

  add({ table, rows }: TableChunk): void {
    this.#received.set(table, (this.#received.get(table) ?? 0) + rows.length)
  }

  /** To be called before the commit. */
  verify(counts: ReadonlyMap<string, number>): void {
    for (const [table, rows] of this.#received)
      if (counts.get(table) !== rows)
        throw new StorageError(`${table} has ${counts.get(table)} rows in the target, but ${rows} in the source`)
  }
}
