import type { DatabaseSync } from 'node:sqlite'
import type { List } from '../../lists/definition.ts'
import { databaseLocked, StorageError } from '../errors.ts'
import { ONE_AT_A_TIME, PATIENCE_MS, Slots } from '../slots.ts'
import {
  type OperatorOptions,
  type OperatorStore,
  SESSION_COLUMNS,
  type SessionRecord,
  type TableChunk,
  type Transaction,
} from '../store.ts'
import { dumpTables, loadTables } from '../tables/copied-tables.ts'
import { type HasList, listsInUse, rememberedResources } from '../tables/declared-lists.ts'
import {
  closeAfterWriting,
  connectAgain,
  connectForReading,
  connectForWriting,
  connectWithoutMigrating,
  ensureFile,
} from './connect.ts'
import { explain, explained } from './faults.ts'
import { type FileLock, fileCheck, isServed, lockFile, lockName } from './files/file-lock.ts'
import { SqliteTransaction } from './transaction.ts'
import { beginWriting, finish } from './write-lock.ts'

/** Room for index pages: ids arrive in random order, and pages that do not fit are written and read repeatedly. */
const CACHE_KIB = 65_536

/** Reading does not migrate. For `settings`, the server itself holds the lock on the file, and has migrated. */
export type OperatorUse = 'command' | 'reading' | 'settings'

export class SqliteOperatorStore implements OperatorStore {
  readonly #path: string
  readonly #listsInUse: readonly List[]
  readonly #isSameFile: () => boolean
  readonly #lock: FileLock | undefined
  readonly #db: DatabaseSync
  /** For settings, a separate connection, so that a page does not wait for a form that waits for the lock. */
  readonly #reads: { db: DatabaseSync; queue: Slots }
  readonly #use: OperatorUse
  readonly #options: OperatorOptions
  readonly #queue: Slots

  static async open(
    path: string,
    resources: readonly HasList[],
    use: OperatorUse,
    options: OperatorOptions,
  ): Promise<SqliteOperatorStore> {
    ensureFile(path, options)
    const lock = use === 'settings' ? undefined : lockFile(path, 'command')
    let db: DatabaseSync | undefined
    try {
      if (use === 'settings') db = connectAgain(path)
      else if (use === 'reading') db = await connectWithoutMigrating(path, resources)
      else db = await connectForWriting(path, resources, { ...options, beforeUpgrade: () => refuseIfServed(path) })
      const remembered = await rememberedResources(new SqliteTransaction(db, 0))
      return new SqliteOperatorStore(path, db, use, lock, listsInUse(resources, remembered, options), options)
    } catch (error) {
      db?.close()
      lock?.release()
      throw error
    }
  }

  private constructor(
    path: string,
    db: DatabaseSync,
    use: OperatorUse,
    lock: FileLock | undefined,
    listsInUse: readonly List[],
    options: OperatorOptions,
  ) {
    this.#path = path
    this.#db = db
    this.#use = use
    this.#lock = lock
    this.#listsInUse = listsInUse
    this.#options = options
    const patienceMs = use === 'settings' ? PATIENCE_MS : undefined
    this.#queue = new Slots({ ...ONE_AT_A_TIME, patienceMs, tooLate: databaseLocked })
    this.#isSameFile = fileCheck(path)
    if (use !== 'settings') db.exec(`PRAGMA cache_size = -${CACHE_KIB}`)
    this.#reads =
      use === 'settings'
        ? { db: connectForReading(path), queue: new Slots({ ...ONE_AT_A_TIME, patienceMs }) }
        : { db, queue: this.#queue }
  }

  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.#queue.run(() => this.#write(work))
  }

  read<T>(work: (tx: Transaction) => Promise<T>, isGone?: () => boolean): Promise<T> {
    const { db, queue } = this.#reads
    const run = async () => {
      explained(this.#path, () => db.exec('BEGIN'))
      return this.#finish(db, work)
    }
    return queue.run(run, { isGone })
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

  async #finish<T>(db: DatabaseSync, work: (tx: Transaction) => Promise<T>): Promise<T> {
    const tx = new SqliteTransaction(db, Date.now())
    const value = await finish(db, this.#path, () => {
      // The changes would be lost.
      if (!this.#isSameFile())
        throw new StorageError(`${this.#path}: the database was deleted or replaced in the meantime; try again`)
      return work(tx)
    })
    for (const failure of tx.failures) this.#options.onFailedAttempt?.(failure)
    return value
  }

  async lock(name: string) {
    return lockName(this.#path, name)
  }

  listInUse(list: List): List {
    return this.#listsInUse.find(({ name }) => name === list.name) ?? list
  }

  // The modules below are imported on demand, because each one slows the start of every command.

  async compact() {
    const { compact } = await import('./files/compact.ts')
    await this.#queue.run(() => compact(this.#db, this.#path))
  }

  async examine() {
    const { examine } = await import('./examine.ts')
    return examine(this.#db, this.#path)
  }

  async space() {
    return (await import('./files/space.ts')).spaceOf(this.#path)
  }

  async schemaDifferences() {
    return (await import('./schema.ts')).schemaDifferences(this.#db)
  }

  async *dump() {
    try {
      using db = connectForReading(this.#path)
      db.exec('BEGIN')
      yield* dumpTables(new SqliteTransaction(db, 0))
    } catch (error) {
      throw explain(this.#path, error)
    }
  }

  load(chunks: AsyncIterable<TableChunk>) {
    return this.transaction((tx) => loadTables(tx, chunks))
  }

  stats() {
    return { queues: { transactions: this.#queue.occupancy }, pools: [] }
  }

  async close() {
    if (this.#reads.db !== this.#db) this.#reads.db.close()
    // The server closes its own connection last, and merges the log.
    if (this.#use === 'command') await closeAfterWriting(this.#db)
    else this.#db.close()
    this.#lock?.release()
  }
}

/** A server of the release before could not read the new schema. */
function refuseIfServed(path: string): void {
  if (isServed(path)) throw new StorageError(`${path}: a server has this database open; stop it first, then upgrade`)
}
