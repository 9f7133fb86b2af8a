import type { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import { explain, isBusy } from './faults.ts'

/** More often than a large change pauses between its steps, so that no one who waits for the lock misses a pause. */
const RETRY_MS = 10
/** How long a command waits for the write lock. */
export const OPERATOR_WAIT_MS = 30_000
/** How long a record waits for it: longer than a step of a large change takes. */
const RECORD_WAIT_MS = 500

/** Writes in one transaction. Returns false, instead of waiting, while another process holds the write lock. */
export const writeNowOrNever = (db: DatabaseSync, write: () => void): boolean =>
  tryBegin(db) === undefined && finish(db, write)

/** The same, but waits for a moment. */
export async function writeSoon(db: DatabaseSync, write: () => void): Promise<boolean> {
  const deadline = performance.now() + RECORD_WAIT_MS
  // Nothing is awaited within a transaction: other records are written on the same connection.
  while (!writeNowOrNever(db, write)) {
    if (performance.now() >= deadline) return false
    await setTimeout(RETRY_MS)
  }
  return true
}

/** Begins a transaction that writes. Throws `orElse`, or SQLite's error, if the lock was never free. */
export async function beginWriting(db: DatabaseSync, path: string, waitMs = OPERATOR_WAIT_MS, orElse?: Error) {
  try {
    const busy = await beginWithin(db, waitMs)
    if (busy !== undefined) throw orElse ?? busy
  } catch (error) {
    throw explain(path, error)
  }
}

/** The wait is done here: SQLite itself would block the thread, and try less and less often. Returns the last error if the lock was never free. */
async function beginWithin(db: DatabaseSync, waitMs: number): Promise<Error | undefined> {
  const { timeout } = db.prepare('PRAGMA busy_timeout').get() as { timeout: number }
  const deadline = performance.now() + waitMs
  db.exec('PRAGMA busy_timeout = 0')
  try {
    for (;;) {
      const busy = tryBegin(db)
      if (busy === undefined || performance.now() >= deadline) return busy
      await setTimeout(RETRY_MS)
    }
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

function finish(db: DatabaseSync, write: () => void): true {
  try {
    write()
    db.exec('COMMIT')
    return true
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}
