import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { databaseLocked, StorageError, WAL_NOT_MERGED } from '../errors.ts'
import { SESSION_COLUMNS, type SessionRecord } from '../session-record.ts'
import type { OperatorOptions, OperatorStore, TableChunk, Transaction } from '../store.ts'
import type { Table } from '../table.ts'
import { copiedTables, loadTables } from '../tables/copied-tables.ts'
import { PATIENCE_MS, TransactionQueue } from '../transaction-queue.ts'
import {
  closeAfterWriting,
  connectAgain,
  connectForReading,
  connectForWriting,
  connectWithoutMigrating,
  ensureFile,
} from './connect.ts'
import { explain, explained } from './faults.ts'
import { type FileLock, fileIdentity, isInUse, lockFile, lockName } from './files/file-lock.ts'
import { SqliteStaging } from './staging.ts'
import { SqliteTransaction } from './transaction.ts'
import { beginWriting, finishAsync } from './write-lock.ts'

/** Room for index pages: ids arrive in random order, and pages that do not fit are written and read repeatedly. */
const CACHE_KIB = 65_536

/** Reading does not migrate. For `settings`, the server itself holds the lock on the file, and has migrated. */
export type OperatorUse = 'command' | 'reading' | 'settings'

export class SqliteOperatorStore implements OperatorStore {
  readonly #path: string
  readonly #tables: readonly Table[]
  readonly #identity: string
  readonly #lock: FileLock | undefined
  readonly #db: DatabaseSync
  /** For settings, a separate connection, so that a page does not wait for a form that waits for the lock. */
  readonly #reads: { db: DatabaseSync; queue: TransactionQueue }
  readonly #use: OperatorUse
  readonly #onWalNotMerged: OperatorOptions['onWalNotMerged']
  readonly #queue: TransactionQueue

  constructor(
    path: string,
    tables: readonly Table[],
    use: OperatorUse,
    { create, onWalNotMerged, ...options }: OperatorOptions,
  ) {
    this.#path = path
    this.#tables = tables
    this.#use = use
    this.#onWalNotMerged = onWalNotMerged
    this.#queue = new TransactionQueue(use === 'settings' ? PATIENCE_MS : undefined, databaseLocked)
    ensureFile(path, { create })
    this.#lock = use === 'settings' ? undefined : lockFile(path, 'command')
    try {
      if (use === 'settings') this.#db = connectAgain(path)
      else if (use === 'reading') this.#db = connectWithoutMigrating(path, tables)
      else this.#db = connectForWriting(path, tables, { create, ...options })
    } catch (error) {
      this.#lock?.release()
      throw error
    }
    this.#identity = this.#findIdentity()
    if (use !== 'settings') this.#db.exec(`PRAGMA cache_size = -${CACHE_KIB}`)
    this.#reads =
      use === 'settings'
        ? { db: connectForReading(path), queue: new TransactionQueue(PATIENCE_MS) }
        : { db: this.#db, queue: this.#queue }
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#queue.run(() => this.#write(work))
  }

  read<T>(work: (tx: Transaction) => Promise<T>, isGone?: () => boolean): Promise<T> {
    const { db, queue } = this.#reads
    return queue.run(async () => {
      explained(this.#path, () => db.exec('BEGIN'))
      return this.#finish(db, work)
    }, isGone)
  }

  findSession(hash: string) {
    return this.read(async (tx) => {
      const [session] = await tx.all<SessionRecord>(`SELECT ${SESSION_COLUMNS} FROM sessions WHERE hash = ?`, hash)
      return session && { session, nowMs: tx.nowMs }
    })
  }

  async #write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    if (this.#use === 'settings') await beginWriting(this.#db, this.#path, PATIENCE_MS, databaseLocked)
    else await beginWriting(this.#db, this.#path)
    return this.#finish(this.#db, work)
  }

  #finish<T>(db: DatabaseSync, work: (tx: Transaction) => Promise<T>): Promise<T> {
    return finishAsync(db, this.#path, () => {
      // SQLite would keep writing to a deleted or replaced file, and the changes would be lost.
      if (this.#findIdentity() !== this.#identity)
        throw new StorageError(`${this.#path}: the database was deleted or replaced in the meantime; try again`)
      return work(new SqliteTransaction(db, Date.now()))
    })
  }

  #findIdentity(): string {
    return fileIdentity(statSync(this.#path, { throwIfNoEntry: false }))
  }

  async lock(name: string) {
    return lockName(this.#path, name)
  }

  stage(table: Table) {
    return new SqliteStaging(this.#db, this.#path, table)
  }

  async tidy(workspaceId?: string) {
    const { deleteWorkspaceRows, tidy } = await import('./large-change.ts')
    const target = { db: this.#db, path: this.#path }
    if (workspaceId === undefined) await tidy(target, this.#tables)
    else await deleteWorkspaceRows(target, this.#tables, workspaceId)
  }

  // The modules below are imported on demand, because each one slows the start of every command.

  async compact() {
    const { compact } = await import('./files/compact.ts')
    await this.#queue.run(() => compact(this.#db, this.#path))
  }

  async backup(file: string) {
    const { backup } = await import('./files/backup.ts')
    explained(file, () => backup(this.#db, file))
  }

  async examine() {
    const { examine } = await import('./examine.ts')
    return examine(this.#db, this.#path, this.#tables)
  }

  async space() {
    return (await import('./files/space.ts')).spaceOf(this.#path)
  }

  async restoreSchema() {
    const { restoreSchema } = await import('./schema.ts')
    return this.#queue.run(() => this.#write(async () => restoreSchema(this.#db, this.#tables)))
  }

  async *dump({ withOrphans } = { withOrphans: false }) {
    const { dump } = await import('./dump.ts')
    try {
      yield* dump(this.#path, copiedTables(this.#tables), withOrphans)
    } catch (error) {
      throw explain(this.#path, error)
    }
  }

  async load(chunks: AsyncIterable<TableChunk>) {
    const { insertSql } = await import('./dump.ts')
    return this.transaction((tx) => loadTables(tx, copiedTables(this.#tables), chunks, insertSql))
  }

  stats() {
    return { queues: { transactions: this.#queue.occupancy }, pools: [] }
  }

  async close() {
    if (this.#reads.db !== this.#db) this.#reads.db.close()
    // The server closes its own connection last, and merges the log.
    const isMerged = this.#use !== 'command' || (await closeAfterWriting(this.#db))
    if (this.#db.isOpen) this.#db.close()
    this.#lock?.release()
    // Another command or the server merges the log when it closes the file.
    if (!isMerged && !isInUse(this.#path)) this.#onWalNotMerged?.(WAL_NOT_MERGED)
  }
}
