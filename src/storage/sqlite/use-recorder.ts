import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { isBusy } from './faults.ts'

const FLUSH_EVERY_MS = 2000

/**
 * Remembers when each key was used and how often, and writes it down in batches off the request's path. While another
 * process holds the write lock the batch waits, growing only by key, and is tried again.
 */
export class UseRecorder {
  readonly #db: DatabaseSync
  readonly #upsert: StatementSync
  readonly #onFailure: (error: unknown) => void
  readonly #timer: NodeJS.Timeout
  #uses = new Map<string, { count: number; lastAt: number }>()

  constructor(db: DatabaseSync, onFailure: (error: unknown) => void) {
    this.#db = db
    this.#onFailure = onFailure
    this.#upsert = db.prepare(`
      INSERT INTO key_use (key_id, day, count, last_at) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET count = count + excluded.count, last_at = max(last_at, excluded.last_at)`)
    this.#timer = setInterval(() => this.flush(), FLUSH_EVERY_MS).unref()
  }

  record(keyId: string, now: number): void {
    const use = this.#uses.get(keyId)
    if (use === undefined) this.#uses.set(keyId, { count: 1, lastAt: now })
    else {
      use.count++
      use.lastAt = now
    }
  }

  flush(): void {
    if (this.#uses.size === 0) return
    try {
      this.#db.exec('BEGIN IMMEDIATE')
      for (const [keyId, { count, lastAt }] of this.#uses) {
        const at = new Date(lastAt).toISOString()
        this.#upsert.run(keyId, at.slice(0, 10), count, at)
      }
      this.#db.exec('COMMIT')
      this.#uses = new Map()
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      if (!isBusy(error)) this.#onFailure(error)
    }
  }

  /** The last batch is worth a wait for the lock. */
  close(): void {
    clearInterval(this.#timer)
    this.#db.exec('PRAGMA busy_timeout = 3000')
    this.flush()
    this.#db.close()
  }
}
