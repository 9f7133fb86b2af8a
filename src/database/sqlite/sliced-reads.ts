import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { RecentlyUsed } from '../../lib/recently-used.ts'
import { nextTurn } from '../../lib/turns.ts'
import { storeBusy } from '../errors.ts'
import type { SlicedState, SqliteRow } from '../queries.ts'
import { connectForReading } from './connect.ts'

/** Other requests wait for at most one slice, plus its last statement. */
const SLICE_MS = 4
/** Each has a connection with its own page cache. */
const MAX_AT_ONCE = 4
const MAX_WAITING_EACH = 200
const STATEMENTS_CACHED = 64

class SlicedConnection implements SlicedState {
  readonly #db: DatabaseSync
  readonly #statements = new RecentlyUsed<StatementSync>(STATEMENTS_CACHED)
  #until = 0

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  async run<T>(work: (state: SlicedState) => Promise<T>): Promise<T> {
    this.#until = performance.now() + SLICE_MS
    this.#db.exec('BEGIN')
    try {
      return await work(this)
    } finally {
      this.#db.exec('COMMIT')
    }
  }

  async pause(): Promise<void> {
    if (performance.now() <= this.#until) return
    await nextTurn()
    this.#until = performance.now() + SLICE_MS
  }

  get = (sql: string, values: SqliteRow) => this.#prepared(sql).get(values) as SqliteRow | undefined
  all = (sql: string, values: SqliteRow) => this.#prepared(sql).all(values) as SqliteRow[]
  each = (sql: string, values: SqliteRow) => this.#prepared(sql).iterate(values) as Iterable<SqliteRow>

  #prepared(sql: string): StatementSync {
    return this.#statements.getOrCreate(sql, () => this.#db.prepare(sql))
  }

  close(): void {
    this.#db.close()
  }
}

/** Reads that may take long, a slice at a time, each on its own connection. Workspaces take turns. */
export class SlicedReads {
  readonly #path: string
  readonly #idle: SlicedConnection[] = []
  readonly #waiting = new Map<string, (() => void)[]>()
  #running = 0
  #isClosed = false

  constructor(path: string) {
    this.#path = path
  }

  async run<T>(workspaceId: string, work: (state: SlicedState) => Promise<T>): Promise<T> {
    if (this.#running >= MAX_AT_ONCE) await this.#place(workspaceId)
    else this.#running++
    try {
      const state = this.#idle.pop() ?? new SlicedConnection(connectForReading(this.#path))
      try {
        return await state.run(work)
      } finally {
        if (this.#isClosed) state.close()
        else this.#idle.push(state)
      }
    } finally {
      this.#release()
    }
  }

  #place(workspaceId: string): Promise<void> {
    const queue = this.#waiting.get(workspaceId) ?? []
    if (queue.length >= MAX_WAITING_EACH) throw storeBusy
    this.#waiting.set(workspaceId, queue)
    return new Promise((resolve) => queue.push(resolve))
  }

  /** Hands the place to the workspace that has waited longest, which then waits behind the others. */
  #release(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#running--
      return
    }
    const [workspaceId, queue] = next
    const start = queue.shift()
    this.#waiting.delete(workspaceId)
    if (queue.length > 0) this.#waiting.set(workspaceId, queue)
    start?.()
  }

  close(): void {
    this.#isClosed = true
    for (const state of this.#idle.splice(0)) state.close()
  }
}
