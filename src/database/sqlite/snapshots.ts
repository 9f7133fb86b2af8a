import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { Lru } from '../../lib/lru.ts'
import type { SqlConnection, SqlValue } from '../connection.ts'
import { Slots } from '../slots.ts'

type Snapshot = Pick<SqlConnection, 'all'>

/** Each has a connection with its own page cache. */
const MAX_AT_ONCE = 4
const MAX_WAITING_EACH = 200
const STATEMENTS_CACHED = 64

/** A walk reads index entries, and then the rows: 100 long ones exceed the default of 2,000. */
const CACHE_KIB = 4000

/** After an error, the connection must be closed. */
function snapshotConnection(db: DatabaseSync) {
  db.exec(`PRAGMA cache_size = -${CACHE_KIB}`)
  const statements = new Lru<StatementSync>(STATEMENTS_CACHED)
  const snapshot: Snapshot = {
    all: async <Row>(sql: string, ...values: SqlValue[]) =>
      statements.getOrCreate(sql, () => db.prepare(sql)).all(...values) as Row[],
  }
  return {
    async run<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
      db.exec('BEGIN')
      const result = await work(snapshot)
      db.exec('COMMIT')
      return result
    },
    close: () => db.close(),
  }
}

export type Snapshots = ReturnType<typeof snapshots>

/** Reads of the database as it was when they began, each on its own connection. `connect` opens one that cannot write. */
export function snapshots(connect: () => DatabaseSync) {
  const slots = new Slots({ total: MAX_AT_ONCE, each: MAX_AT_ONCE - 1, waiting: MAX_WAITING_EACH })
  const idle: ReturnType<typeof snapshotConnection>[] = []
  let isClosed = false
  const closeIdle = () => {
    for (const connection of idle.splice(0)) connection.close()
  }
  return {
    run: <T>(workspaceId: string, work: (snapshot: Snapshot) => Promise<T>): Promise<T> => {
      const run = async () => {
        const connection = idle.pop() ?? snapshotConnection(connect())
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
      }
      return slots.run(run, { holder: workspaceId })
    },
    close() {
      isClosed = true
      closeIdle()
    },
  }
}
