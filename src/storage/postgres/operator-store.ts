import type { Pool } from 'pg'
import { SqlTransaction } from '../sql-transaction.ts'
import { type HealthFinding, type OperatorStore, StorageError, type TaskStaging, type Transaction } from '../store.ts'
import type { Table, TableChunk } from '../tables.ts'
import { TransactionQueue } from '../transaction-queue.ts'
import { makePool } from './connect.ts'
import { PostgresConnection } from './connection.ts'
import { dump, load } from './dump.ts'
import { examine } from './examine.ts'
import { explained, explainedEach } from './faults.ts'
import { PostgresTaskStaging } from './task-staging.ts'

/** One connection, so that what is staged on it is there when a transaction takes it. */
export class PostgresOperatorStore implements OperatorStore {
  readonly #pool: Pool
  readonly #queue = new TransactionQueue()

  constructor(url: string, { beside = false }: { beside?: boolean } = {}) {
    this.#pool = makePool(url, { purpose: beside ? 'settings' : 'operator', max: 1, patient: !beside })
  }

  /** Whether the role has been given what the settings page needs. */
  mayWriteSettings(): Promise<boolean> {
    return explained(async () => {
      const { rows } = await this.#pool.query<{ may: boolean }>(MAY_WRITE_SETTINGS)
      return rows[0]?.may ?? false
    })
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#queue.run(() => explained(() => this.#run('BEGIN', work)))
  }

  read<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#queue.run(() => explained(() => this.#run('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work)))
  }

  async #run<T>(begin: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect()
    try {
      await client.query(`${begin}; SET LOCAL search_path = vitrine`)
      const value = await work(new SqlTransaction(new PostgresConnection(client)))
      await client.query('COMMIT')
      client.release()
      return value
    } catch (error) {
      await client.query('ROLLBACK').then(
        () => client.release(),
        () => client.release(true),
      )
      throw error
    }
  }

  stageTasks(): TaskStaging {
    return new PostgresTaskStaging(this.#pool)
  }

  async backup(): Promise<void> {
    throw new StorageError('a PostgreSQL database is backed up with its own tools: pg_dump --schema=vitrine')
  }

  examine(): Promise<HealthFinding[]> {
    return explained(() => examine(this.#pool))
  }

  dump(): AsyncIterable<TableChunk> {
    return explainedEach(dump(this.#pool))
  }

  load(chunks: AsyncIterable<TableChunk>): Promise<Map<Table, number>> {
    return this.#queue.run(() => explained(() => load(this.#pool, chunks)))
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }
}

const MAY_WRITE_SETTINGS = `
  SELECT has_table_privilege('vitrine.api_keys', 'INSERT') AND has_column_privilege('vitrine.api_keys', 'revoked_at', 'UPDATE')
     AND has_column_privilege('vitrine.api_keys', 'expires_at', 'UPDATE') AND has_table_privilege('vitrine.audit', 'INSERT')
     AND has_table_privilege('vitrine.sessions', 'INSERT') AND has_table_privilege('vitrine.sessions', 'UPDATE')
     AND has_table_privilege('vitrine.sessions', 'DELETE') AND has_table_privilege('vitrine.tickets', 'INSERT')
     AND has_table_privilege('vitrine.tickets', 'DELETE') AS may`
