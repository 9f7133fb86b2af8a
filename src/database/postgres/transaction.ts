import type { PoolClient } from 'pg'
import { CHUNK_ROWS } from '../copied-tables.ts'
import type { SqlValue, Transaction } from '../store.ts'

export class PostgresTransaction implements Transaction {
  readonly byBytes = 'COLLATE "C"'
  readonly nowMs: number
  readonly #client: PoolClient

  constructor(client: PoolClient, nowMs: number) {
    this.#client = client
    this.nowMs = nowMs
  }

  async all<Row>(sql: string, ...params: SqlValue[]): Promise<Row[]> {
    return (await this.#client.query(numbered(sql), params)).rows as Row[]
  }

  async *pages<Row>(sql: string, ...params: SqlValue[]): AsyncGenerator<Row[]> {
    await this.#client.query(`DECLARE pages NO SCROLL CURSOR FOR ${numbered(sql)}`, params)
    for (;;) {
      const { rows } = await this.#client.query(`FETCH ${CHUNK_ROWS} FROM pages`)
      if (rows.length > 0) yield rows as Row[]
      if (rows.length < CHUNK_ROWS) break
    }
    await this.#client.query('CLOSE pages')
  }

  async run(sql: string, ...params: SqlValue[]): Promise<number> {
    return (await this.#client.query(numbered(sql), params)).rowCount ?? 0
  }

  async lock(name: string): Promise<void> {
    await this.#client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [name])
  }

  async rowsOf(_table: string, workspaceId: string): Promise<string> {
    return workspaceId
  }
}

/** `?` as `$1`, `$2` and so on; no statement of ours has a question mark of its own. */
function numbered(sql: string): string {
  let n = 0
  return sql.replace(/\?/g, () => `$${++n}`)
}
