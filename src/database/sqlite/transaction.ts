import type { DatabaseSync } from 'node:sqlite'
import { inBatches } from '../../lib/batches.ts'
import type { SqlValue } from '../connection.ts'
import { failedAttempt, type StorageError } from '../errors.ts'
import type { Transaction } from '../store.ts'
import { CHUNK_ROWS } from '../tables/copied-tables.ts'

export class SqliteTransaction implements Transaction {
  readonly nowMs: number
  readonly failures: StorageError[] = []
  readonly #db: DatabaseSync

  constructor(db: DatabaseSync, nowMs: number) {
    this.#db = db
    this.nowMs = nowMs
  }

  async all<Row>(sql: string, ...params: SqlValue[]): Promise<Row[]> {
    return this.#db.prepare(sql).all(...params) as Row[]
  }

  async *batches<Row>(sql: string, ...params: SqlValue[]): AsyncGenerator<Row[]> {
    yield* inBatches(this.#db.prepare(sql).iterate(...params) as Iterable<Row>, CHUNK_ROWS)
  }

  async run(sql: string, ...params: SqlValue[]): Promise<number> {
    return Number(this.#db.prepare(sql).run(...params).changes)
  }

  async insert(into: string, [first, ...others]: readonly SqlValue[][], onConflict: string): Promise<void> {
    if (first === undefined) return
    const statement = this.#db.prepare(`${into} VALUES (${first.map(() => '?')}) ${onConflict}`)
    for (const row of [first, ...others]) statement.run(...row)
  }

  /** Not needed: only one transaction can write at a time. */
  async lock(): Promise<void> {}

  async attempt(work: () => Promise<void>, failure: string): Promise<void> {
    this.#db.exec('SAVEPOINT attempt')
    try {
      await work()
    } catch (error) {
      // On some errors, such as a full disk, SQLite undoes the whole transaction.
      if (!this.#db.isTransaction) throw error
      this.#db.exec('ROLLBACK TO attempt')
      this.failures.push(failedAttempt(failure, error))
    }
    this.#db.exec('RELEASE attempt')
  }
}
