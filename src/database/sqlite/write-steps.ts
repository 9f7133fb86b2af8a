import type { DatabaseSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { quoted } from '../table.ts'
import { mergeSome, searchName } from './lists/search-index.ts'
import { beginWriting, finishAsync } from './write-lock.ts'

/** Steps are resized to take this long: a revocation must take effect within a second, but short steps cause more writes. */
const STEP_MS = 250
const FIRST_STEP_ROWS = 200
const MIN_STEP_ROWS = 20
/** Longer than RETRY_MS in write-lock.ts, so that a waiting writer gets the lock between two steps. */
const PAUSE_MS = 25

/** A connection that writes, and the file that it writes to. */
export interface WriteTarget {
  db: DatabaseSync
  path: string
}

/** A step that deletes some of the rows. */
export function deletionStep(db: DatabaseSync, table: string, condition: string, values = {}) {
  const remove = db.prepare(
    `DELETE FROM ${quoted(table)} WHERE seq IN (SELECT seq FROM ${quoted(table)} WHERE ${condition} LIMIT :rows)`,
  )
  return (rows: number) => Number(remove.run({ ...values, rows }).changes)
}

/** Merging the search index after every step would cost ten times as much as deleting, so it is merged once at the end. */
export async function deleteRowsOf(target: WriteTarget, table: string, workspaceId: string): Promise<void> {
  const { db } = target
  if (db.prepare(`SELECT 1 FROM ${quoted(table)} WHERE workspace_id = ? LIMIT 1`).get(workspaceId) === undefined) return
  const removed = deletionStep(db, table, 'workspace_id = :workspaceId', { workspaceId })
  const index = quoted(searchName(table))
  const isSearched = db.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(searchName(table)) !== undefined
  if (!isSearched) return inSteps(target, removed)
  await inSteps(target, (rows) => {
    db.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('automerge', 0)`)
    const count = removed(rows)
    // In the same transaction, so that a killed process leaves the setting as it was.
    db.exec(
      `INSERT INTO ${index} (${index}) VALUES ('flush'); INSERT INTO ${index} (${index}, rank) VALUES ('automerge', 4)`,
    )
    return count
  })
  await inSteps(target, (pages) => (mergeSome(db, index, pages) ? pages : 0))
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
