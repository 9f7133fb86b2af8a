import type { DatabaseSync } from 'node:sqlite'
import type { SqlConnection, SqlValue } from '../sql-connection.ts'

export class SqliteConnection implements SqlConnection {
  readonly #db: DatabaseSync

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  async all<Row>(sql: string, ...params: SqlValue[]): Promise<Row[]> {
    return this.#db.prepare(sql).all(...params) as Row[]
  }

  async run(sql: string, ...params: SqlValue[]): Promise<number> {
    return Number(this.#db.prepare(sql).run(...params).changes)
  }
}
