import type { SQLInputValue } from 'node:sqlite'

/** One state of the database, for as long as a read takes, a slice at a time. */
export interface SlicedState {
  get(sql: string, values: SqliteRow): SqliteRow | undefined
  all(sql: string, values: SqliteRow): SqliteRow[]
  each(sql: string, values: SqliteRow): Iterable<SqliteRow>
  /** Lets other requests have a turn if the slice is over. */
  pause: () => Promise<void>
}

export type SqliteRow = Record<string, SQLInputValue>
