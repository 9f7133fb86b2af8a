import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SqlConnection, Staging } from '../store.ts'
import { importedColumns, markColumns, quoted, type Row, type Table } from '../table.ts'
import { explained } from './faults.ts'

/** From here on it pays to make the indexes anew, if most rows are new. */
const BULK_ROWS = 10_000
/** Room for the pages of the indexes: ids come in no order, and what does not fit is written and read again and again. */
const UPSERT_CACHE_KIB = 65_536
let created = 0

/** A temporary table: it lies in a file of its own, so filling it takes no lock on the database. */
export class SqliteStaging implements Staging {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #table: Table
  readonly #fields: string[]
  readonly #staged: string
  readonly #insert: StatementSync
  #rows: Row[] = []

  constructor(db: DatabaseSync, path: string, table: Table) {
    this.#db = db
    this.#path = path
    this.#table = table
    this.#staged = `staged_${table.name}_${++created}`
    this.#fields = importedColumns(table).map(({ field }) => field)
    const columns = importedColumns(table).map(({ name }) => quoted(name))
    db.exec(`CREATE TEMP TABLE ${this.#staged} (${columns.join(', ')})`)
    this.#insert = db.prepare(
      `INSERT INTO ${this.#staged} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
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
    const isOwnTransaction = rows.length > 0 && !this.#db.isTransaction
    explained(`the temporary files of ${this.#path}`, () => {
      if (isOwnTransaction) this.#db.exec('BEGIN')
      try {
        for (const row of rows) this.#insert.run(...this.#fields.map((field) => row[field] ?? null))
        if (isOwnTransaction) this.#db.exec('COMMIT')
      } catch (error) {
        if (isOwnTransaction && this.#db.isTransaction) this.#db.exec('ROLLBACK')
        throw error
      }
    })
  }

  async take(
    _connection: SqlConnection,
    workspaceId: string,
    now: string,
  ): Promise<{ created: number; replaced: number }> {
    this.#fill()
    const before = this.#count(workspaceId)
    const staged = this.#countStaged()
    const upsert = () =>
      withCache(this.#db, UPSERT_CACHE_KIB, () =>
        this.#db.prepare(takeSql(this.#table, this.#staged)).run({ workspaceId, now }),
      )
    if (staged >= Math.max(BULK_ROWS, this.#highestSeq())) reindexing(this.#db, this.#table.name, upsert)
    else upsert()
    const created = this.#count(workspaceId) - before
    return { created, replaced: staged - created }
  }

  #count(workspaceId: string): number {
    const count = this.#db.prepare(`SELECT count(*) AS n FROM ${quoted(this.#table.name)} WHERE workspace_id = ?`)
    return Number(count.get(workspaceId)?.n)
  }

  #countStaged(): number {
    return Number(this.#db.prepare(`SELECT count(*) AS n FROM ${this.#staged}`).get()?.n)
  }

  /** No fewer than the rows there are, of all workspaces, and quick to ask. */
  #highestSeq(): number {
    return Number(this.#db.prepare(`SELECT coalesce(max(seq), 0) AS n FROM ${quoted(this.#table.name)}`).get()?.n)
  }

  async discard(): Promise<void> {
    this.#db.exec(`DROP TABLE ${this.#staged}`)
  }
}

function withCache(db: DatabaseSync, kib: number, work: () => void): void {
  const usual = Number(db.prepare('PRAGMA main.cache_size').get()?.cache_size)
  db.exec(`PRAGMA main.cache_size = -${kib}`)
  try {
    work()
  } finally {
    db.exec(`PRAGMA main.cache_size = ${usual}`)
  }
}

/**
 * Takes the indexes away for the work and makes them again after it, in the transaction of the work. When most rows are
 * new, to sort them once for each index takes a third of the time of adding them to it one by one.
 */
function reindexing(db: DatabaseSync, table: string, work: () => void): void {
  const indexes = db
    .prepare(
      "SELECT name, sql FROM main.sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL ORDER BY rowid",
    )
    .all(table)
  for (const { name } of indexes) db.exec(`DROP INDEX main."${String(name).replaceAll('"', '""')}"`)
  work()
  for (const { sql } of indexes) db.exec(String(sql))
}

function takeSql(table: Table, staged: string): string {
  // A mark would follow by itself, but then the row would be written twice.
  const marks = markColumns(table).filter(({ sqliteValue }) => sqliteValue !== undefined)
  const columns = [...importedColumns(table), ...marks]
  const values = columns.map(({ name, isCreation, sqliteValue }) =>
    isCreation ? `coalesce(${quoted(name)}, :now)` : (sqliteValue ?? quoted(name)),
  )
  const replacements = columns.flatMap(({ name, field, isCreation }) => {
    const [column, given] = [quoted(name), `excluded.${quoted(name)}`]
    if (field === 'id') return []
    // This very moment stands for "not told": the row keeps the moment it has.
    return isCreation ? `${column} = iif(${given} = :now, ${column}, ${given})` : `${column} = ${given}`
  })
  return `
    INSERT INTO main.${quoted(table.name)} (workspace_id, ${columns.map(({ name }) => quoted(name)).join(', ')})
    SELECT :workspaceId, ${values.join(', ')} FROM temp.${staged} WHERE 1 ORDER BY rowid
    ON CONFLICT (workspace_id, id) DO UPDATE SET ${replacements.join(', ')}`
}
