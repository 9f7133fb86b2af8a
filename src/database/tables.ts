import { StorageError } from './errors.ts'

/**
 * What a copy of a database consists of. Revisions and quota windows are not data: the copy makes its own. Nor are
 * sessions and tickets: people sign in again.
 */
export const tables = [
  'workspaces',
  'tasks',
  'api_keys',
  'key_use',
  'key_incidents',
  'members',
  'audit',
  'audit_heads',
] as const
export type Table = (typeof tables)[number]

/** Some rows of one table: columns by name, instants in the one form. */
export interface TableChunk {
  table: Table
  rows: Record<string, string | number | null>[]
}

/** Which tasks have woken is noted anew by the database that takes them. */
export function withoutNotes(row: TableChunk['rows'][number]): TableChunk['rows'][number] {
  const { woken: _, ...kept } = row
  return kept
}

/** Few enough that even rows of a mebibyte each fit into memory. */
export const CHUNK_ROWS = 250

/** The order in which rows were made, where that means something. */
export const orderOf = (table: Table): string =>
  table === 'tasks' ? 'seq' : table === 'audit' || table === 'key_incidents' ? 'id' : '1'

/** Counts what arrives, and compares it at the end with what the target has. */
export class Tally {
  readonly #received = new Map<Table, number>()

  add({ table, rows }: TableChunk): void {
    this.#received.set(table, (this.#received.get(table) ?? 0) + rows.length)
  }

  /** To be called before the commit. */
  verify(counts: ReadonlyMap<Table, number>): void {
    for (const [table, rows] of this.#received)
      if (counts.get(table) !== rows)
        throw new StorageError(`${table} has ${counts.get(table)} rows in the target, but ${rows} in the source`)
  }
}
