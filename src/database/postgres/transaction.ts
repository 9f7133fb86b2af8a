import type { PoolClient } from 'pg'
import { CHUNK_ROWS } from '../copied-tables.ts'
import { StorageError, StoreBusyError } from '../errors.ts'
import type { SqlValue, Transaction } from '../store.ts'
import { takeLock } from './advisory-lock.ts'

/** Far longer than a transaction of ours holds such a lock; beside a server shorter than a statement may take. */
const LOCK_WAIT_MS = 5000
const LOCK_WAIT_BESIDE_MS = 1000

export class PostgresTransaction implements Transaction {
  readonly byBytes = 'COLLATE "C"'
  readonly nowMs: number
  readonly #client: PoolClient
  readonly #isBeside: boolean

  constructor(client: PoolClient, nowMs: number, isBeside = false) {
    this.#client = client
    this.nowMs = nowMs
    this.#isBeside = isBeside
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
    const held = await takeLock(this.#client, name, this.#isBeside ? LOCK_WAIT_BESIDE_MS : LOCK_WAIT_MS)
    if (held !== undefined) throw this.#isBeside ? new StoreBusyError(held) : new StorageError(held)
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
