import type { PoolClient } from 'pg'
import type { SqlValue, Transaction } from '../store.ts'

export class PostgresTransaction implements Transaction {
  readonly nowMs: number
  readonly #client: PoolClient

  constructor(client: PoolClient, nowMs: number) {
    this.#client = client
    this.nowMs = nowMs
  }

  async all<Row>(sql: string, ...params: SqlValue[]): Promise<Row[]> {
    return (await this.#client.query(numbered(sql), params)).rows as Row[]
  }

  async run(sql: string, ...params: SqlValue[]): Promise<number> {
    return (await this.#client.query(numbered(sql), params)).rowCount ?? 0
  }
}

/** `?` as `$1`, `$2` and so on; no statement of ours has a question mark of its own. */
function numbered(sql: string): string {
  let n = 0
  return sql.replace(/\?/g, () => `$${++n}`)
}
