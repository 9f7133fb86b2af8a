import type { DatabaseSync } from 'node:sqlite'
import { SqlTransaction } from '../sql-transaction.ts'
import type { HealthFinding, OperatorStore, TaskStaging, Transaction } from '../store.ts'
import type { Table, TableChunk } from '../tables.ts'
import { TransactionQueue } from '../transaction-queue.ts'
import { backup } from './backup.ts'
import { connectForWriting } from './connect.ts'
import { SqliteConnection } from './connection.ts'
import { dump, load } from './dump.ts'
import { examine } from './examine.ts'
import { explained } from './faults.ts'
import { SqliteTaskStaging } from './task-staging.ts'

export class SqliteOperatorStore implements OperatorStore {
  readonly #path: string
  readonly #db: DatabaseSync
  readonly #tx: SqlTransaction
  readonly #queue = new TransactionQueue()

  constructor(path: string, options: { create: boolean }) {
    this.#path = path
    this.#db = connectForWriting(path, options)
    this.#tx = new SqlTransaction(new SqliteConnection(this.#db))
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#queue.run(() => this.#run(work))
  }

  async #run<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    explained(this.#path, () => this.#db.exec('BEGIN IMMEDIATE'))
    try {
      const value = await work(this.#tx)
      explained(this.#path, () => this.#db.exec('COMMIT'))
      return value
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      return explained(this.#path, () => {
        throw error
      })
    }
  }

  stageTasks(): TaskStaging {
    return new SqliteTaskStaging(this.#db, this.#path)
  }

  async backup(file: string): Promise<void> {
    explained(file, () => backup(this.#db, file))
  }

  async examine(): Promise<HealthFinding[]> {
    return examine(this.#db, this.#path)
  }

  dump(): AsyncIterable<TableChunk> {
    return dump(this.#path)
  }

  load(chunks: AsyncIterable<TableChunk>): Promise<Map<Table, number>> {
    return this.#queue.run(() => this.#run(() => load(this.#db, chunks)))
  }

  async close(): Promise<void> {
    this.#db.close()
  }
}
