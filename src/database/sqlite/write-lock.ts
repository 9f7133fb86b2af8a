import type { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { explain, isBusy } from './faults.ts'

const RETRY_MS = 10
/** Steps are resized to take this long: a revocation must take effect within a second, but short steps cause more writes. */
const STEP_MS = 250
const FIRST_STEP_ROWS = 200
const MIN_STEP_ROWS = 20
/** Longer than RETRY_MS, so that a waiting writer gets the lock between two steps. */
const PAUSE_MS = 25
export const OPERATOR_WAIT_MS = 30_000
/** Longer than a step takes. */
const RECORD_WAIT_MS = 500

/** A connection that writes, and the file that it writes to. */
export interface WriteTarget {
  db: DatabaseSync
  path: string
}

/** Returns false instead of waiting if another process holds the write lock. */
export function writeNowOrNever(db: DatabaseSync, write: () => void): boolean {
  const isFree = tryBegin(db) === undefined
  if (isFree) finish(db, write)
  return isFree
}

/** Waits briefly for the lock before returning false. */
export async function writeSoon(db: DatabaseSync, write: () => void): Promise<boolean> {
  const deadline = performance.now() + RECORD_WAIT_MS
  // Never await within a transaction: other records are written on the same connection.
  while (!writeNowOrNever(db, write)) {
    if (performance.now() >= deadline) return false
    await setTimeout(RETRY_MS)
  }
  return true
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

/** Commits the transaction that has begun, or rolls it back if the work fails. */
export function finish(db: DatabaseSync, work: () => void): void {
  try {
    work()
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
}

/** Like `finish`, but for asynchronous work. It also explains errors. */
export async function finishAsync<T>(db: DatabaseSync, path: string, work: () => MaybePromise<T>): Promise<T> {
  try {
    const value = await work()
    db.exec('COMMIT')
    return value
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw explain(path, error)
  }
}

/**
 * A step returns how many rows it handled: fewer than offered if none are left. Steps do not wait for the disk; the
 * transaction that follows them does.
 */
export async function inSteps(target: WriteTarget, step: (rows: number) => MaybePromise<number>): Promise<void> {
  const { db } = target
  db.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0')
  const merge = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  try {
    for (let rows = FIRST_STEP_ROWS; ; ) {
      let startedAt = 0
      const handled = await inTransaction(target, () => {
        startedAt = performance.now()
        return step(rows)
      })
      if (handled < rows) return
      const tookMs = performance.now() - startedAt
      rows = Math.max(MIN_STEP_ROWS, Math.round(rows * Math.min(2, Math.max(0.5, STEP_MS / tookMs))))
      // Merges the log here, so that a server need not do it at its next commit, on the thread that serves requests.
      merge.get()
      await setTimeout(PAUSE_MS)
    }
  } finally {
    db.exec('PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000')
  }
}

export async function inTransaction<T>({ db, path }: WriteTarget, work: () => MaybePromise<T>): Promise<T> {
  await beginWriting(db, path)
  return finishAsync(db, path, work)
}
