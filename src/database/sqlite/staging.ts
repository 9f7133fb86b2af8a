import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { isoOf } from '../../lib/instant.ts'
import type { Row, Value } from '../../lists/column.ts'
import { StorageError } from '../errors.ts'
import type { Difference, SqlConnection, Staging, StagingScope, Transaction } from '../store.ts'
import { importedColumns, quoted, type Table } from '../table.ts'
import { StagedRows } from '../tables/staged-rows.ts'
import { explain, explained } from './faults.ts'
import { type FileLock, lockName } from './files/file-lock.ts'
import { LARGE_ROWS } from './frozen.ts'
import { WorkspaceRows } from './large-change.ts'
import { SqliteTransaction } from './transaction.ts'
import { finish } from './write-lock.ts'

const MAX_ATTEMPTS = 3
const KEEPS_CHANGING = 'another command keeps changing the same workspace; stop it, then try again'
let created = 0

/** SQLite has neither booleans nor lists. */
const storedValue = (value: Value) =>
  typeof value === 'boolean' ? Number(value) : typeof value === 'object' ? value && JSON.stringify(value) : value

/** Uses a temporary table, which has its own file, so staging takes no lock on the database. */
export class SqliteStaging extends StagedRows implements Staging {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #fields: string[]
  readonly #name: string
  readonly #insert: StatementSync
  readonly #locks: FileLock[] = []
  #change: WorkspaceRows | undefined
  /** Valid even if the workspace's revision moves for another reason, because the rows are frozen. */
  #written: Difference | undefined

  constructor(db: DatabaseSync, path: string, table: Table) {
    const name = `staged_${table.name}_${++created}`
    super(table, {
      staged: `temp.${name}`,
      difference: `temp.${name}_difference`,
      target: `main.${quoted(table.name)}`,
      revisions: 'main.revisions',
      index: [`CREATE INDEX temp.${name}_by_id ON ${name} (id)`],
      // A writing transaction locks the whole database.
      forUpdate: '',
      instant: '?',
    })
    this.#db = db
    this.#path = path
    this.#name = name
    this.#fields = importedColumns(table).map(({ field }) => field)
    const columns = importedColumns(table).map(({ name }) => quoted(name))
    db.exec(`CREATE TEMP TABLE ${name} (_place INTEGER PRIMARY KEY, _deleted, ${columns.join(', ')});
      CREATE TEMP TABLE ${name}_difference (_number INTEGER PRIMARY KEY, _kind, _place, _seq)`)
    this.#insert = db.prepare(
      `INSERT INTO ${name} (_deleted, ${columns.join(', ')}) VALUES (?, ${columns.map(() => '?').join(', ')})`,
    )
  }

  /** One transaction for many rows is faster. It writes only to the temporary file, so it blocks no one. */
  async add(rows: readonly Row[]): Promise<void> {
    explained(this.#temporaryFiles, () => {
      this.#db.exec('BEGIN')
      finish(this.#db, () => {
        for (const row of rows)
          this.#insert.run(row.deleted ? 1 : 0, ...this.#fields.map((field) => storedValue(row[field] ?? null)))
      })
    })
  }

  get #temporaryFiles(): string {
    return `the temporary files of ${this.#path}`
  }

  async lock(name: string): Promise<boolean> {
    const lock = lockName(this.#path, name)
    if (lock !== undefined) this.#locks.push(lock)
    return lock !== undefined
  }

  async compare(scope: StagingScope, tx?: SqlConnection): Promise<Difference> {
    if (tx !== undefined && this.#written !== undefined) return this.#written
    if (tx === undefined) await this.#beginReading(scope)
    try {
      return await this.difference(tx ?? new SqliteTransaction(this.#db, 0), scope, tx !== undefined)
    } catch (error) {
      throw explain(this.#temporaryFiles, error)
    } finally {
      // If the disk is full, SQLite has already rolled back.
      if (tx === undefined && this.#db.isTransaction) this.#db.exec('COMMIT')
    }
  }

  /** The comparison needs a consistent snapshot, without a half-written large change. */
  async #beginReading(scope: StagingScope): Promise<void> {
    const rows = this.#workspaceRows(scope)
    for (;;) {
      await rows.recover()
      this.#db.exec('BEGIN')
      if (!rows.areFrozen()) return
      this.#db.exec('COMMIT')
    }
  }

  async writeAhead(scope: StagingScope): Promise<void> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const difference = await this.compare(scope)
      const total = difference.created + difference.changed + difference.gone
      if (total <= LARGE_ROWS) return
      const rows = this.#workspaceRows(scope)
      // False if the workspace has changed in the meantime.
      if (!(await rows.begin(difference.revision))) continue
      this.#change = rows
      this.#written = difference
      return this.#writeInSteps(rows, total)
    }
    throw new StorageError(`${this.#path}: ${KEEPS_CHANGING}`)
  }

  async #writeInSteps(change: WorkspaceRows, total: number): Promise<void> {
    const connection = new SqliteTransaction(this.#db, 0)
    const now = isoOf(Date.now())
    let last = 0
    await change.run(async (rows) => {
      await this.applyPart(connection, now, `d._number > ${last} AND d._number <= ${last + rows}`)
      last += rows
      return Math.min(rows, total - last + rows)
    })
  }

  async isCurrent(scope: StagingScope, tx: SqlConnection): Promise<boolean> {
    if (this.#written !== undefined) return true
    return !this.#workspaceRows(scope).areFrozen() && (await this.isUnchanged(tx, scope))
  }

  override async apply(tx: Transaction): Promise<void> {
    if (this.#change === undefined) await super.apply(tx)
    else this.#change.unfreeze({ isChanged: true })
  }

  #workspaceRows({ workspaceId }: StagingScope): WorkspaceRows {
    return new WorkspaceRows({ db: this.#db, path: this.#path }, this.table, workspaceId)
  }

  async discard(): Promise<void> {
    try {
      await this.#change?.end()
    } finally {
      for (const lock of this.#locks) lock.release()
      for (const suffix of ['', '_difference']) this.#db.exec(`DROP TABLE IF EXISTS temp.${this.#name}${suffix}`)
    }
  }
}
