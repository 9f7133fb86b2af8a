import type { DatabaseSync } from 'node:sqlite'
import type { QueryConfig, QueryResultRow } from 'pg'
import type { BackgroundUpdates, UpdateSome } from './background-updates.ts'
import type { HasTable } from './table.ts'

export interface Viewpoint {
  workspaceId: string
  now: number
}

export interface Reading {
  /** JSON, ready to send. */
  body: Buffer
  /** When it changes though no one changes anything; Infinity if it does not. */
  until: number
}

/** The values of the order's columns, then the row's seq. Numbers may come as text. */
export type Position = readonly (string | number | null)[]

export interface PageRequest {
  /** By argument, already checked; instants are in the one stored form. */
  filters: Readonly<Record<string, string | number>>
  limit: number
  after?: Position
  /** In the order of the table; all if left out. */
  fields?: readonly string[]
  /** The most characters that are read of a text; all if left out. */
  maxText?: number
  findNext: boolean
  /** Put around the rows of a first page, so that a whole body needs no second copy of them. */
  around?: readonly [before: string, after: string]
}

export interface PageReading {
  /** JSON objects with commas between them, without brackets. */
  rows: Buffer
  /** The position of the last row, if more follow and `findNext` asked for it. */
  next: Position | undefined
  until: number
}

/** Undefined if the workspace is not there. */
export type Read<Args, Result = Reading> = (viewpoint: Viewpoint, args: Args) => Promise<Result | undefined>

export interface Queries<Args = never, Result = Reading> {
  sqlite(engine: SqliteReads): Read<Args, Result>
  postgres(engine: PostgresReads): Read<Args, Result>
}

export interface ReadingQueries {
  /** Prepares each query once. */
  reader<Args, Result>(queries: Queries<Args, Result>): Read<Args, Result>
}

export type PageQueries = Queries<PageRequest, PageReading>

export interface SqliteReads {
  /** Read-only. */
  db: DatabaseSync
  /** For updates that change no response; `createUpdate` is given a connection that can write. */
  inBackground(createUpdate: (db: DatabaseSync) => UpdateSome): Pick<BackgroundUpdates, 'request'>
}

export interface PostgresReads {
  /** Runs on a read-only session. */
  read<Row extends QueryResultRow>(statement: QueryConfig): Promise<Row[]>
  /** For updates that change no response; `update` gives the number of rows that a statement changed. */
  inBackground(
    createUpdate: (update: (statement: QueryConfig) => Promise<number>) => UpdateSome,
  ): Pick<BackgroundUpdates, 'request'>
}

/** A resource, as far as a database knows it. */
export interface Stored extends HasTable {
  /** All of it, as a request without arguments reads it. */
  read?(store: ReadingQueries, viewpoint: Viewpoint, args: Record<string, never>): Promise<unknown>
}

/** /readyz looks up this hash. No key has it, so nothing is counted or cached. */
export const NO_KEY_HASH = 'readiness'
