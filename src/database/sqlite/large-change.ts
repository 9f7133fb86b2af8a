import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { setTimeout } from 'node:timers/promises'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import { StorageError } from '../errors.ts'
import { columnsOf, quoted, type Table } from '../table.ts'
import { type FileLock, lockName } from './files/file-lock.ts'
import { COPY_SUFFIX, copyOf, frozenIn, SEQ_OFFSET } from './frozen.ts'
import { mergeSome, searchName } from './lists/search-index.ts'
import { recordedTables } from './migrate.ts'
import { inSteps, inTransaction, type WriteTarget } from './write-lock.ts'

/**
 * Changes a large number of rows of one workspace in steps.
 *
 * SQLite allows one writer at a time. Writing a million rows in one transaction would block all other writers for minutes;
 * a leaked key could not be revoked. So a large change takes the write lock for only a moment at a time:
 *
 *   1. copy      the workspace's rows are copied, with another workspace id and other seq values
 *   2. freeze    a row in `frozen` makes all readers use the copy
 *   3. change    the rows themselves are changed, unseen by readers; triggers reject changes by other writers
 *   4. unfreeze  the caller's own transaction deletes the row in `frozen`: readers see the whole change at once
 *   5. delete    the copy is deleted
 *
 * If the process is killed before step 2 or after step 4, an unused copy is left. If it is killed in between, readers keep
 * using the copy and see the old state, until `recover` restores the rows before the next comparison, or `tidy` does. Only
 * one large change runs at a time, under a file lock that ends with its process.
 */

const LOCK_WAIT_MS = 10 * 60_000
const LOCK_RETRY_MS = 100

/** Cleans up after interrupted large changes and deleted workspaces. */
export async function tidy(target: WriteTarget, tables: readonly Table[]): Promise<void> {
  using _lock = await lockLargeChanges(target.path)
  for (const table of tables) {
    const frozen = target.db.prepare('SELECT workspace_id FROM frozen WHERE table_name = ?').all(table.name)
    for (const { workspace_id } of frozen) await new WorkspaceRows(target, table, String(workspace_id)).restore()
    await deleteUnusedCopies(target, table)
    await deleteOrphans(target, table)
  }
}

/** A deleted workspace leaves rows behind if there were too many for its transaction. */
export async function deleteWorkspaceRows(target: WriteTarget, tables: readonly Table[], id: string) {
  for (const table of tables) await new WorkspaceRows(target, table, id).recover()
  // Retired resources' tables have rows, but no definition any more. A killed large change may leave an unused copy.
  for (const { name } of recordedTables(target.db))
    for (const each of [id, copyOf(id)]) await deleteRowsOf(target, name, each)
}

/** Whether a large change is running, in this process or another. */
export function isChanging(path: string): boolean {
  using lock = lockName(path, LOCK)
  return lock === undefined
}

const LOCK = 'large change'

async function lockLargeChanges(path: string): Promise<FileLock> {
  const deadline = performance.now() + LOCK_WAIT_MS
  for (;;) {
    const lock = lockName(path, LOCK)
    if (lock !== undefined) return lock
    if (performance.now() > deadline)
      throw new StorageError(`${path}: another large import, sync or deletion is running; try again later`)
    await setTimeout(LOCK_RETRY_MS)
  }
}

export class WorkspaceRows implements WriteTarget {
  readonly db: DatabaseSync
  readonly path: string
  readonly #table: Table
  readonly #name: string
  readonly #id: string
  readonly areFrozen: () => boolean
  #lock: FileLock | undefined

  constructor({ db, path }: WriteTarget, table: Table, workspaceId: string) {
    this.db = db
    this.path = path
    this.#table = table
    this.#name = quoted(table.name)
    this.#id = workspaceId
    const isFrozen = frozenIn(db, table.name)
    this.areFrozen = () => isFrozen(workspaceId)
  }

  /** Copies the rows and freezes them. False if the workspace is no longer at that revision. */
  async begin(revision: number): Promise<boolean> {
    this.#lock = await lockLargeChanges(this.path)
    let hasBegun = false
    try {
      await this.#reset()
      await this.copy()
      hasBegun = await this.freeze(revision)
    } finally {
      if (!hasBegun) await this.end()
    }
    return hasBegun
  }

  /** Runs `step` until it handles fewer rows than it was offered. */
  run(step: (rows: number) => Promise<number>): Promise<void> {
    return inSteps(this, (rows) => this.writing(() => step(rows)))
  }

  /** Restores the rows unless the change was committed. */
  async end(): Promise<void> {
    await this.#reset().finally(() => this.#lock?.release())
  }

  /** Restores rows whose large change was interrupted; waits for one that is still running. */
  async recover(): Promise<void> {
    if (!this.areFrozen()) return
    this.#lock = await lockLargeChanges(this.path)
    await this.end()
  }

  async copy(): Promise<void> {
    const columns = this.#columns().join(', ')
    const copy = this.db.prepare(`
      INSERT INTO ${this.#name} (seq, workspace_id, ${columns})
      SELECT seq - ${SEQ_OFFSET}, :copy, ${columns} FROM ${this.#name} WHERE workspace_id = :of AND ${IN_RANGE}`)
    await this.#eachRange(this.#id, copy, { copy: copyOf(this.#id) })
  }

  async freeze(revision: number): Promise<boolean> {
    return inTransaction(this, () => {
      const row = this.db.prepare('SELECT number FROM revisions WHERE workspace_id = ?').get(this.#id)
      const isSame = (row?.number ?? 0) === revision
      if (isSame) this.db.prepare('INSERT INTO frozen VALUES (?, ?, 0)').run(this.#id, this.#table.name)
      return isSame
    })
  }

  /** Called in the transaction that makes the change visible. */
  unfreeze({ isChanged }: { isChanged: boolean }): void {
    this.db.prepare('DELETE FROM frozen WHERE workspace_id = ? AND table_name = ?').run(this.#id, this.#table.name)
    if (isChanged) this.db.prepare('UPDATE revisions SET number = number + 1 WHERE workspace_id = ?').run(this.#id)
  }

  /** Lets the current transaction change frozen rows despite the triggers. */
  async writing<T>(work: () => MaybePromise<T>): Promise<T> {
    const isFrozen = this.areFrozen()
    const set = this.db.prepare(
      'INSERT INTO frozen VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET is_writing = excluded.is_writing',
    )
    set.run(this.#id, this.#table.name, 1)
    const value = await work()
    if (isFrozen) set.run(this.#id, this.#table.name, 0)
    else this.unfreeze({ isChanged: false })
    return value
  }

  /** Restores the frozen rows from their copy, and unfreezes them. */
  async restore(): Promise<void> {
    const [name, copy, columns] = [this.#name, copyOf(this.#id), this.#columns()]
    const of = (alias: string) => columns.map((column) => `${alias}.${column}`).join(', ')
    const remove = this.db.prepare(`
      DELETE FROM ${name} AS t WHERE workspace_id = :of AND ${IN_RANGE}
      AND NOT EXISTS (SELECT 1 FROM ${name} AS c WHERE c.seq = t.seq - ${SEQ_OFFSET} AND (${of('c')}) IS (${of('t')}))`)
    await this.#eachRange(this.#id, remove)
    const add = this.db.prepare(`
      INSERT INTO ${name} (seq, workspace_id, ${columns.join(', ')}) SELECT c.seq + ${SEQ_OFFSET}, :workspace, ${of('c')}
      FROM ${name} AS c WHERE c.workspace_id = :of AND ${IN_RANGE}
      AND NOT EXISTS (SELECT 1 FROM ${name} AS t WHERE t.seq = c.seq + ${SEQ_OFFSET})`)
    if (this.db.prepare('SELECT 1 FROM workspaces WHERE id = ?').get(this.#id) !== undefined)
      await this.#eachRange(copy, add, { workspace: this.#id })
    await inTransaction(this, () => this.unfreeze({ isChanged: false }))
  }

  /** Restores frozen rows, and deletes copies that no reader uses. */
  async #reset(): Promise<void> {
    if (this.areFrozen()) await this.restore()
    await deleteUnusedCopies(this, this.#table)
  }

  #columns(): string[] {
    return ['source', ...columnsOf(this.#table).map(({ name }) => quoted(name))]
  }

  /** Runs a statement on all of a workspace's rows, some at a time: in the order of their ids, using their index. */
  #eachRange(of: string, statement: StatementSync, values = {}): Promise<void> {
    const find = this.db.prepare(`SELECT max(id) AS last, count(*) AS n FROM (
      SELECT id FROM ${this.#name} WHERE workspace_id = ? AND id > ? ORDER BY id LIMIT ?)`)
    let after = ''
    return this.run(async (rows) => {
      const { last, n } = find.get(of, after, rows) as { last: string; n: number }
      if (n > 0) statement.run({ ...values, of, after, last })
      after = last
      return n
    })
  }
}

const IN_RANGE = 'id > :after AND id <= :last'

/** Keeps the copies of frozen rows, which readers use. Copies are not in the search index. The caller holds the large-change lock. */
function deleteUnusedCopies(target: WriteTarget, { name }: Table): Promise<void> {
  const used = `SELECT workspace_id || '${COPY_SUFFIX}' FROM frozen WHERE table_name = '${name}'`
  const unused = `seq < 0 AND workspace_id GLOB '*${COPY_SUFFIX}' AND workspace_id NOT IN (${used})`
  return inSteps(target, deletionStep(target.db, name, unused))
}

async function deleteOrphans(target: WriteTarget, { name }: Table): Promise<void> {
  const { db } = target
  // Skips through the index from one workspace to the next, without reading every row.
  const next = db.prepare(`SELECT min(workspace_id) AS id FROM ${quoted(name)} WHERE workspace_id > ?`)
  const exists = db.prepare('SELECT 1 FROM workspaces WHERE id = ?')
  let id = ''
  for (;;) {
    const nextId = next.get(id)?.id
    if (typeof nextId !== 'string') return
    id = nextId
    if (exists.get(id) === undefined) await deleteRowsOf(target, name, id)
  }
}

/** A step that deletes some of the rows. */
function deletionStep(db: DatabaseSync, table: string, condition: string, values = {}) {
  const remove = db.prepare(
    `DELETE FROM ${quoted(table)} WHERE seq IN (SELECT seq FROM ${quoted(table)} WHERE ${condition} LIMIT :rows)`,
  )
  return (rows: number) => Number(remove.run({ ...values, rows }).changes)
}

/** Merging the search index after every step would cost ten times as much as deleting, so it is merged once at the end. */
async function deleteRowsOf(target: WriteTarget, table: string, workspaceId: string): Promise<void> {
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
