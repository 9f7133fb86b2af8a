import type { DatabaseSync } from 'node:sqlite'
import type { QueryConfig, QueryResultRow } from 'pg'
import type { ObjectSchema } from '../lib/schema.ts'
import type { BackgroundUpdates, UpdateSome } from './background-updates.ts'
import type { HasTable } from './table.ts'

/** Whose data is asked for, and when. */
export interface Viewpoint {
  workspaceId: string
  now: number
}

export interface Reading {
  /** The JSON of the answer, ready to send. */
  body: Buffer
  /** When it changes by itself, though nobody changes anything; Infinity if it does not. */
  until: number
}

/** Undefined if the workspace is not there. */
export type Read<Args> = (viewpoint: Viewpoint, args: Args) => Promise<Reading | undefined>

/** How each engine reads a resource. A store instantiates its own once. */
export interface Queries<Args = never> {
  sqlite(engine: SqliteReads): Read<Args>
  postgres(engine: PostgresReads): Read<Args>
  /** Where it is stated, the tool must have exactly these: any other would be ignored. */
  arguments?: ObjectSchema
}

export interface SqliteReads {
  /** It can only read. */
  db: DatabaseSync
  /** For updates that change no answer; `makeUpdate` is given a connection that can write. */
  inBackground(makeUpdate: (db: DatabaseSync) => UpdateSome): Pick<BackgroundUpdates, 'request'>
}

export interface PostgresReads {
  /** On a session that can only read. */
  read<Row extends QueryResultRow>(statement: QueryConfig): Promise<Row[]>
  /** For updates that change no answer; `update` gives the number of rows that a statement changed. */
  inBackground(
    makeUpdate: (update: (statement: QueryConfig) => Promise<number>) => UpdateSome,
  ): Pick<BackgroundUpdates, 'request'>
}

/** A resource, as far as a database knows it. */
export interface Stored extends HasTable {
  queries?: Queries
}
