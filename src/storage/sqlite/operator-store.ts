import type { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { SqlTransaction } from '../sql-transaction.ts'
import type { HealthFinding, OperatorStore, TaskStaging, Transaction } from '../store.ts'
import type { Table, TableChunk } from '../tables.ts'
import { PATIENCE_MS, TransactionQueue } from '../transaction-queue.ts'
import { backup } from './backup.ts'
import { connectForWriting } from './connect.ts'
import { SqliteConnection } from './connection.ts'
import { dump, load } from './dump.ts'
import { examine } from './examine.ts'
import { explained, isBusy } from './faults.ts'
import { SqliteTaskStaging } from './task-staging.ts'

const LOCK_PATIENCE_MS = 5000
const LOCK_RETRY_MS = 25

export class SqliteOperatorStore implements OperatorStore {
  readonly #path: string
  readonly #db: DatabaseSync
  readonly #connection: SqliteConnection
  readonly #isBeside: boolean
  readonly #queue: TransactionQueue

  constructor(path: string, { create, beside = false }: { create: boolean; beside?: boolean }) {
    this.#path = path
    this.#queue = new TransactionQueue(beside ? PATIENCE_MS : undefined)
    this.#db = connectForWriting(path, { create })
    if (beside) this.#db.exec('PRAGMA busy_timeout = 0')
    this.#isBeside = beside
    this.#connection = new SqliteConnection(this.#db)
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#queue.run(() => this.#run('BEGIN IMMEDIATE', work))
  }

  read<T>(work: (tx: Transaction) => Promise<T>, isGone?: () => boolean): Promise<T> {
    return this.#queue.run(() => this.#run('BEGIN', work), isGone)
  }

  findSession(hash: string) {
    return this.read(async (tx) => {
      const session = await tx.signIn.session(hash)
      return session && { session, nowMs: tx.nowMs }
    })
  }

  async #run<T>(begin: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    await this.#begin(begin)
    try {
      const value = await work(new SqlTransaction(this.#connection, Date.now()))
      explained(this.#path, () => this.#db.exec('COMMIT'))
      return value
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK')
      return explained(this.#path, () => {
        throw error
      })
    }
  }

  /** SQLite waits for its lock without letting anything else run; beside a server the wait is done out here. */
  async #begin(begin: string): Promise<void> {
    const deadline = Date.now() + (this.#isBeside ? LOCK_PATIENCE_MS : 0)
    for (;;)
      try {
        this.#db.exec(begin)
        return
      } catch (error) {
        if (!isBusy(error) || Date.now() >= deadline)
          explained(this.#path, () => {
            throw error
          })
        await setTimeout(LOCK_RETRY_MS)
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
    return this.#queue.run(() => this.#run('BEGIN IMMEDIATE', () => load(this.#db, chunks)))
  }

  async close(): Promise<void> {
    this.#db.close()
  }
}
