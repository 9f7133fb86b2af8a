import type { PoolClient } from 'pg'
import type { SqlConnection, SqlValue } from '../sql-connection.ts'

export class PostgresConnection implements SqlConnection {
  readonly #client: PoolClient

  constructor(client: PoolClient) {
    this.#client = client
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
