import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { RecentlyUsed } from '../../../lib/recently-used.ts'
import { Slices } from '../../../lib/turns.ts'
import { Slots } from '../../slots.ts'
import { connectForReading } from '../connect.ts'
import { prepareIndexed } from '../faults.ts'
import type { SlicedState, SqliteRow } from './sliced-state.ts'

/** Each has a connection with its own page cache. */
const MAX_AT_ONCE = 4
const MAX_WAITING_EACH = 200
const STATEMENTS_CACHED = 64

/** A query reads index entries, which hold whole rows, and then the rows: 100 long ones exceed the default of 2,000. */
const CACHE_KIB = 4000

/** After an error, the connection must be closed. */
function slicedConnection(db: DatabaseSync) {
  db.exec(`PRAGMA cache_size = -${CACHE_KIB}`)
  const statements = new RecentlyUsed<StatementSync>(STATEMENTS_CACHED)
  const prepared = (sql: string) =>
    statements.getOrCreate(sql, () => {
      const statement = prepareIndexed(db, sql)
      // All statements of a query have the same values.
      statement.setAllowUnknownNamedParameters(true)
      return statement
    })
  return {
    async run<T>(work: (state: SlicedState) => Promise<T>): Promise<T> {
      const slices = new Slices()
      db.exec('BEGIN')
      const result = await work({
        get: (sql, values) => prepared(sql).get(values) as SqliteRow | undefined,
        all: (sql, values) => prepared(sql).all(values) as SqliteRow[],
        each: (sql, values) => prepared(sql).iterate(values) as Iterable<SqliteRow>,
        pause: () => slices.pause(),
      })
      db.exec('COMMIT')
      return result
    },
    close: () => db.close(),
  }
}

/** Slow reads, a slice at a time, each on its own connection. */
export class SlicedReads {
  readonly #path: string
  readonly #idle: ReturnType<typeof slicedConnection>[] = []
  readonly #slots = new Slots({ total: MAX_AT_ONCE, each: MAX_AT_ONCE - 1, waiting: MAX_WAITING_EACH })
  #isClosed = false

  constructor(path: string) {
    this.#path = path
  }

  run<T>(workspaceId: string, work: (state: SlicedState) => Promise<T>): Promise<T> {
    return this.#slots.run(workspaceId, async () => {
      const state = this.#idle.pop() ?? slicedConnection(connectForReading(this.#path))
      let hasSucceeded = false
      try {
        const result = await state.run(work)
        hasSucceeded = true
        return result
      } finally {
        if (hasSucceeded && !this.#isClosed) this.#idle.push(state)
        else {
          state.close()
          // Other connections may be outdated in the same way.
          this.#closeIdle()
        }
      }
    })
  }

  #closeIdle(): void {
    for (const state of this.#idle.splice(0)) state.close()
  }

  close(): void {
    this.#isClosed = true
    this.#closeIdle()
  }
}
