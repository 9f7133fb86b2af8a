import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { StagedRows } from '../staged-rows.ts'
import type { Difference, SqlConnection, Staging, StagingScope } from '../store.ts'
import { importedColumns, markColumns, quoted, type Row, type Table } from '../table.ts'
import { explained } from './faults.ts'
import { type FileLock, lockName } from './file-lock.ts'
import { SqliteTransaction } from './transaction.ts'

/** From here on it pays to make the indexes anew, if most rows are new. */
const BULK_ROWS = 10_000
/** Room for the pages of the indexes: ids come in no order, and what does not fit is written and read again and again. */
const CACHE_KIB = 65_536
let created = 0

/** A temporary table: it lies in a file of its own, so filling it takes no lock on the database. */
export class SqliteStaging implements Staging {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #table: Table
  readonly #fields: string[]
  readonly #name: string
  readonly #insert: StatementSync
  readonly #staged: StagedRows
  readonly #locks: FileLock[] = []
  #difference: Difference | undefined
  #rows: Row[] = []
  #isIndexed = false

  constructor(db: DatabaseSync, path: string, table: Table) {
    this.#db = db
    this.#path = path
    this.#table = table
    this.#name = `staged_${table.name}_${++created}`
    this.#fields = importedColumns(table).map(({ field }) => field)
    const columns = importedColumns(table).map(({ name }) => quoted(name))
    db.exec(`CREATE TEMP TABLE ${this.#name} (_place INTEGER PRIMARY KEY, _deleted, ${columns.join(', ')});
      CREATE TEMP TABLE ${this.#name}_difference (_kind, _place, _seq)`)
    this.#insert = db.prepare(
      `INSERT INTO ${this.#name} (_deleted, ${columns.join(', ')}) VALUES (?, ${columns.map(() => '?').join(', ')})`,
    )
    this.#staged = new StagedRows(table, {
      staged: `temp.${this.#name}`,
      difference: `temp.${this.#name}_difference`,
      target: `main.${quoted(table.name)}`,
      revisions: 'main.revisions',
      // Whoever writes has the whole database to itself.
      forUpdate: '',
      instant: '?',
      // A mark would follow by itself, but then the row would be written twice.
      computed: markColumns(table).flatMap(({ name, sqliteValue }) =>
        sqliteValue === undefined ? [] : { name, value: sqliteValue.replaceAll(':now', '?') },
      ),
    })
  }

  add(row: Row): void {
    this.#rows.push(row)
  }

  async flush(): Promise<void> {
    this.#fill()
  }

  /** Many rows to a transaction, for speed. It writes to nothing but the temporary file, and is over before anyone waits. */
  #fill(): void {
    const rows = this.#rows
    this.#rows = []
    if (rows.length === 0) return
    this.#inTransaction(() => {
      for (const row of rows) this.#insert.run(row.deleted ? 1 : 0, ...this.#fields.map((field) => row[field] ?? null))
    })
  }

  #inTransaction(work: () => void): void {
    const isOwn = !this.#db.isTransaction
    explained(`the temporary files of ${this.#path}`, () => {
      if (isOwn) this.#db.exec('BEGIN')
      try {
        work()
        if (isOwn) this.#db.exec('COMMIT')
      } catch (error) {
        if (isOwn && this.#db.isTransaction) this.#db.exec('ROLLBACK')
        throw error
      }
    })
  }

  async lock(name: string): Promise<boolean> {
    const lock = lockName(this.#path, name)
    if (lock !== undefined) this.#locks.push(lock)
    return lock !== undefined
  }

  async compare(scope: StagingScope, tx?: SqlConnection): Promise<Difference> {
    this.#fill()
    if (!this.#isIndexed)
      this.#inTransaction(() => this.#db.exec(`CREATE INDEX temp.${this.#name}_by_id ON ${this.#name} (id)`))
    this.#isIndexed = true
    const connection = tx ?? new SqliteTransaction(this.#db, 0)
    this.#difference = await this.#withCache(async () => {
      // One state of the data, for the whole comparison.
      if (tx === undefined) this.#db.exec('BEGIN')
      try {
        return await this.#staged.compare(connection, scope, tx !== undefined)
      } catch (error) {
        return explained(`the temporary files of ${this.#path}`, () => {
          throw error
        })
      } finally {
        // Where the disk is full, SQLite has ended it already.
        if (tx === undefined && this.#db.isTransaction) this.#db.exec('COMMIT')
      }
    })
    return this.#difference
  }

  apply(tx: SqlConnection, now: string): Promise<void> {
    const write = () => this.#staged.apply(tx, now)
    const isBulk = (this.#difference?.created ?? 0) >= Math.max(BULK_ROWS, this.#highestSeq())
    return this.#withCache(isBulk ? () => reindexing(this.#db, this.#table.name, write) : write)
  }

  /** No fewer than the rows there are, of all workspaces, and quick to ask. */
  #highestSeq(): number {
    return Number(this.#db.prepare(`SELECT coalesce(max(seq), 0) AS n FROM ${quoted(this.#table.name)}`).get()?.n)
  }

  async #withCache<T>(work: () => Promise<T>): Promise<T> {
    const usual = Number(this.#db.prepare('PRAGMA main.cache_size').get()?.cache_size)
    this.#db.exec(`PRAGMA main.cache_size = -${CACHE_KIB}`)
    try {
      return await work()
    } finally {
      this.#db.exec(`PRAGMA main.cache_size = ${usual}`)
    }
  }

  async discard(): Promise<void> {
    for (const lock of this.#locks) lock.release()
    this.#db.exec(`DROP TABLE ${this.#name}; DROP TABLE ${this.#name}_difference`)
  }
}

/**
 * Takes the indexes away for the work and makes them again after it, in the transaction of the work. When most rows are
 * new, to sort them once for each index takes a third of the time of adding them to it one by one.
 */
async function reindexing(db: DatabaseSync, table: string, work: () => Promise<void>): Promise<void> {
  const indexes = db
    .prepare(
      "SELECT name, sql FROM main.sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL ORDER BY rowid",
    )
    .all(table)
  for (const { name } of indexes) db.exec(`DROP INDEX main."${String(name).replaceAll('"', '""')}"`)
  await work()
  for (const { sql } of indexes) db.exec(String(sql))
}
