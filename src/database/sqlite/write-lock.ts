import type { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { explain, isBusy } from './faults.ts'

const RETRY_MS = 10
export const OPERATOR_WAIT_MS = 30_000
/** Short, because other records wait meanwhile. */
const RECORD_WAIT_MS = 500

/** Waits briefly for the lock before returning false. */
export async function writeSoon(db: DatabaseSync, write: () => void): Promise<boolean> {
  const deadline = performance.now() + RECORD_WAIT_MS
  while (tryBegin(db) !== undefined) {
    if (performance.now() >= deadline) return false
    await setTimeout(RETRY_MS)
  }
  // Never await within a transaction: other records are written on the same connection.
  try {
    write()
    db.exec('COMMIT')
    return true
  } catch (error) {
    rollBack(db)
    throw error
  }
}

/** Throws `orElse`, or SQLite's error, if the lock does not become free in time. */
export async function beginWriting(db: DatabaseSync, path: string, waitMs = OPERATOR_WAIT_MS, orElse?: Error) {
  const deadline = performance.now() + waitMs
  const { timeout } = db.prepare('PRAGMA busy_timeout').get() as { timeout: number }
  try {
    // Retries here, because SQLite would block the thread and retry less and less often.
    db.exec('PRAGMA busy_timeout = 0')
    for (;;) {
      const busy = tryBegin(db)
      if (busy === undefined) return
      if (performance.now() >= deadline) throw orElse ?? busy
      await setTimeout(RETRY_MS)
    }
  } catch (error) {
    throw explain(path, error)
  } finally {
    db.exec(`PRAGMA busy_timeout = ${timeout}`)
  }
}

function tryBegin(db: DatabaseSync): Error | undefined {
  try {
    db.exec('BEGIN IMMEDIATE')
    return undefined
  } catch (error) {
    if (isBusy(error)) return error as Error
    throw error
  }
}

/** SQLite itself rolls back after some errors. */
const rollBack = (db: DatabaseSync) => db.isTransaction && db.exec('ROLLBACK')

/** Commits the transaction that has begun, or rolls it back and explains the error. */
export async function finish<T>(db: DatabaseSync, path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    const value = await work()
    db.exec('COMMIT')
    return value
  } catch (error) {
    rollBack(db)
    throw explain(path, error)
  }
}

export async function inTransaction<T>(db: DatabaseSync, path: string, work: () => T | Promise<T>): Promise<T> {
  await beginWriting(db, path)
  return finish(db, path, work)
}
