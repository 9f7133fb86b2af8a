import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { BackgroundUpdates } from '../background-updates.ts'

/** What a list is read with. */
export interface SqliteEngine {
  /** Read-only. */
  db: DatabaseSync
  /** For reads that may take long. */
  sliced: { run<T>(workspaceId: string, work: (state: SlicedState) => Promise<T>): Promise<T> }
  /** A connection that can write, for updates in the background. */
  usesDb: DatabaseSync
  background: Pick<BackgroundUpdates, 'request'>
  /** Another process has migrated to another definition of a list. */
  onIndexChanged(): void
}

/** One state of the database, for as long as a read takes, a slice at a time. */
export interface SlicedState {
  get(sql: string, values: SqliteRow): SqliteRow | undefined
  all(sql: string, values: SqliteRow): SqliteRow[]
  each(sql: string, values: SqliteRow): Iterable<SqliteRow>
  /** Lets other requests have a turn if the slice is over. */
  pause: () => Promise<void>
}

export type SqliteRow = Record<string, SQLInputValue>
