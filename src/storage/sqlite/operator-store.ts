import type { DatabaseSync } from 'node:sqlite'
import type { HealthFinding, OperatorStore, TaskStaging, Transaction } from '../store.ts'
import { backup } from './backup.ts'
import { connectForWriting } from './connect.ts'
import { examine } from './examine.ts'
import { explained } from './faults.ts'
import { SqliteTaskStaging } from './task-staging.ts'
import { SqliteTransaction } from './transaction.ts'

export class SqliteOperatorStore implements OperatorStore {
  readonly #path: string
  readonly #db: DatabaseSync
  readonly #tx: SqliteTransaction
  /** One connection holds one transaction at a time; the next waits for the last to settle. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(path: string, options: { create: boolean }) {
    this.#path = path
    this.#db = connectForWriting(path, options)
    this.#tx = new SqliteTransaction(this.#db)
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const result = this.#last.then(() => this.#run(work))
    this.#last = result.catch(() => undefined)
    return result
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

  async close(): Promise<void> {
    this.#db.close()
  }
}
