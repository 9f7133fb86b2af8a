import type { ClientBase, PoolClient } from 'pg'
import type { SqlValue } from '../connection.ts'
import { failedAttempt, StorageError, StoreBusyError } from '../errors.ts'
import type { Transaction } from '../store.ts'
import { CHUNK_ROWS } from '../tables/copied-tables.ts'
import { isTransient } from './faults.ts'

/** Far longer than our transactions hold a lock; for settings pages, shorter than the statement timeout. */
const LOCK_WAIT_MS = 5000
const SETTINGS_LOCK_WAIT_MS = 1000

export class PostgresTransaction implements Transaction {
  readonly nowMs: number
  readonly failures: StorageError[] = []
  readonly #client: PoolClient
  readonly #isForSettings: boolean

  constructor(client: PoolClient, nowMs: number, isForSettings = false) {
    this.#client = client
    this.nowMs = nowMs
    this.#isForSettings = isForSettings
  }

  async all<Row>(sql: string, ...params: SqlValue[]): Promise<Row[]> {
    return (await this.#client.query(numbered(sql), params)).rows as Row[]
  }

  async *batches<Row>(sql: string, ...params: SqlValue[]): AsyncGenerator<Row[]> {
    await this.#client.query(`DECLARE batches NO SCROLL CURSOR FOR ${numbered(sql)}`, params)
    for (;;) {
      const { rows } = await this.#client.query(`FETCH ${CHUNK_ROWS} FROM batches`)
      if (rows.length > 0) yield rows as Row[]
      if (rows.length < CHUNK_ROWS) break
    }
    await this.#client.query('CLOSE batches')
  }

  async run(sql: string, ...params: SqlValue[]): Promise<number> {
    return (await this.#client.query(numbered(sql), params)).rowCount ?? 0
  }

  async insert(into: string, rows: readonly SqlValue[][], onConflict: string): Promise<void> {
    if (rows.length === 0) return
    let n = 0
    const values = rows.map((row) => `(${row.map(() => `$${++n}`)})`)
    await this.#client.query(`${into} VALUES ${values} ${onConflict}`, rows.flat())
  }

  async lock(name: string): Promise<void> {
    const held = await takeLock(this.#client, name, this.#isForSettings ? SETTINGS_LOCK_WAIT_MS : LOCK_WAIT_MS)
    if (held !== undefined) throw this.#isForSettings ? new StoreBusyError(held) : new StorageError(held)
  }

  async attempt(work: () => Promise<void>, failure: string): Promise<void> {
    await this.#client.query('SAVEPOINT attempt')
    try {
      await work()
    } catch (error) {
      if (isTransient(error)) throw error
      await this.#client.query('ROLLBACK TO SAVEPOINT attempt')
      this.failures.push(failedAttempt(failure, error))
    }
    await this.#client.query('RELEASE SAVEPOINT attempt')
  }
}

/** A question mark in a literal is not a parameter. */
const LITERAL_OR_PARAMETER = /'(?:[^']|'')*'|\?/g

/** Turns `?` into `$1`, `$2` and so on. */
export function numbered(sql: string): string {
  let n = 0
  return sql.replace(LITERAL_OR_PARAMETER, (part) => (part === '?' ? `$${++n}` : part))
}

/** Any role that can connect can hold this lock, so the wait is bounded. Returns undefined, or why it was not taken. */
export async function takeLock(client: ClientBase, name: string | number, waitMs: number): Promise<string | undefined> {
  const key = typeof name === 'string' ? 'hashtextextended($1, 0)' : '$1::bigint'
  const { rows } = await client.query<{ taken: boolean }>(`SELECT pg_try_advisory_xact_lock(${key}) AS taken`, [name])
  if (rows[0]?.taken) return undefined
  await client.query(`SAVEPOINT before_lock; SET LOCAL lock_timeout = ${waitMs}`)
  try {
    await client.query(`SELECT pg_advisory_xact_lock(${key})`, [name])
    await client.query('SET LOCAL lock_timeout = DEFAULT')
    return undefined
  } catch (error) {
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error
    await client.query('ROLLBACK TO SAVEPOINT before_lock')
    return `another session has held an advisory lock that Vitrine needs for over ${waitMs / 1000} seconds; find it in pg_locks and end it, or try again when it has finished`
  }
}

const LOCK_NOT_AVAILABLE = '55P03'
