import type { DatabaseSync } from 'node:sqlite'
import type { SqlValue, Transaction } from '../store.ts'

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

  async run(sql: string, ...params: SqlValue[]): Promise<number> {
    return Number(this.#db.prepare(sql).run(...params).changes)
  }
}
