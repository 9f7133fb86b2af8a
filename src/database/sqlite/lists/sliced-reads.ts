import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { Lru } from '../../../lib/lru.ts'
import { Slices } from '../../../lib/turns.ts'
import { Slots } from '../../slots.ts'
import type { SqlValue } from '../../store.ts'
import { prepareIndexed } from '../faults.ts'

export type SqliteRow = Record<string, SQLInputValue>

/** The database as it was when a read began. The read takes place a slice at a time. */
export interface ReadSnapshot {
  get(sql: string, values: SqliteRow): SqliteRow | undefined
  all<Row = SqliteRow>(sql: string, ...values: SqlValue[]): Promise<Row[]>
  named(sql: string, values: SqliteRow): SqliteRow[]
  each(sql: string, values: SqliteRow): Iterable<SqliteRow>
  /** Lets other requests have a turn if the slice is over. */
  pause: () => Promise<void>
}

/** Each has a connection with its own page cache. */
const MAX_AT_ONCE = 4
const MAX_WAITING_EACH = 200
const STATEMENTS_CACHED = 64

/** A query reads index entries, which hold whole rows, and then the rows: 100 long ones exceed the default of 2,000. */
const CACHE_KIB = 4000

/** After an error, the connection must be closed. */
function slicedConnection(db: DatabaseSync) {
  db.exec(`PRAGMA cache_size = -${CACHE_KIB}`)
  const statements = new Lru<StatementSync>(STATEMENTS_CACHED)
  const prepared = (sql: string) =>
    statements.getOrCreate(sql, () => {
      const statement = prepareIndexed(db, sql)
      // All statements of a query have the same values.
      statement.setAllowUnknownNamedParameters(true)
      return statement
    })
  return {
    async run<T>(work: (snapshot: ReadSnapshot) => Promise<T>): Promise<T> {
      const slices = new Slices()
      db.exec('BEGIN')
      const result = await work({
        get: (sql, values) => prepared(sql).get(values) as SqliteRow | undefined,
        all: async <Row>(sql: string, ...values: SqlValue[]) => prepared(sql).all(...values) as Row[],
        named: (sql, values) => prepared(sql).all(values) as SqliteRow[],
        each: (sql, values) => prepared(sql).iterate(values) as Iterable<SqliteRow>,
        pause: () => slices.pause(),
      })
      db.exec('COMMIT')
      return result
    },
    close: () => db.close(),
  }
}

export type SlicedReads = ReturnType<typeof slicedReads>

/** Slow reads, a slice at a time, each on its own connection. `connect` opens one that cannot write. */
export function slicedReads(connect: () => DatabaseSync) {
  const slots = new Slots({ total: MAX_AT_ONCE, each: MAX_AT_ONCE - 1, waiting: MAX_WAITING_EACH })
  const idle: ReturnType<typeof slicedConnection>[] = []
  let isClosed = false
  const closeIdle = () => {
    for (const connection of idle.splice(0)) connection.close()
  }
  return {
    run: <T>(workspaceId: string, work: (snapshot: ReadSnapshot) => Promise<T>): Promise<T> =>
      slots.run(workspaceId, async () => {
        const connection = idle.pop() ?? slicedConnection(connect())
        try {
          const result = await connection.run(work)
          idle.push(connection)
          return result
        } catch (error) {
          connection.close()
          // Other connections may be outdated in the same way.
          closeIdle()
          throw error
        } finally {
          if (isClosed) closeIdle()
        }
      }),
    close() {
      isClosed = true
      closeIdle()
    },
  }
}
