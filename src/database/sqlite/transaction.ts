import type { DatabaseSync } from 'node:sqlite'
import type { SqlValue } from '../connection.ts'
import type { Transaction } from '../store.ts'
import { CHUNK_ROWS } from '../tables/copied-tables.ts'

export class SqliteTransaction implements Transaction {
  readonly nowMs: number
  readonly #db: DatabaseSync

  constructor(db: DatabaseSync, nowMs: number) {
    this.#db = db
    this.nowMs = nowMs
  }

  async all<Row>(sql: string, ...params: SqlValue[]): Promise<Row[]> {
    return this.#db.prepare(sql).all(...params) as Row[]
  }

  async *batches<Row>(sql: string, ...params: SqlValue[]): AsyncGenerator<Row[]> {
    let batch: Row[] = []
    for (const row of this.#db.prepare(sql).iterate(...params)) {
      batch.push(row as Row)
      if (batch.length < CHUNK_ROWS) continue
      yield batch
      batch = []
    }
    if (batch.length > 0) yield batch
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
}
