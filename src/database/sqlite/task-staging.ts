import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { columnOf } from '../columns.ts'
import type { SqlConnection } from '../sql-connection.ts'
import { type TaskRow, type TaskStaging, taskColumns } from '../store.ts'
import { explained } from './faults.ts'

const columns = taskColumns.map(columnOf)
/** From here on it pays to make the indexes anew, if most rows are new. */
const BULK_ROWS = 10_000
/** Room for the pages of the indexes: ids come in no order, and what does not fit is written and read again and again. */
const UPSERT_CACHE_KIB = 65_536
let made = 0

/** A temporary table: it lies in a file of its own, so filling it takes no lock on the database. */
export class SqliteTaskStaging implements TaskStaging {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #table = `staged_tasks_${++made}`
  readonly #insert: StatementSync
  #rows: TaskRow[] = []

  constructor(db: DatabaseSync, path: string) {
    this.#db = db
    this.#path = path
    db.exec(`CREATE TEMP TABLE ${this.#table} (${columns.join(', ')})`)
    this.#insert = db.prepare(
      `INSERT INTO ${this.#table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
  }

  add(row: TaskRow): void {
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
        for (const row of rows) this.#insert.run(...taskColumns.map((column) => row[column]))
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
    const staged = this.#staged()
    const upsert = () =>
      withCache(this.#db, UPSERT_CACHE_KIB, () => this.#db.prepare(takeSql(this.#table)).run({ workspaceId, now }))
    if (staged >= Math.max(BULK_ROWS, this.#highestSeq())) reindexing(this.#db, upsert)
    else upsert()
    const created = this.#count(workspaceId) - before
    return { created, replaced: staged - created }
  }

  #count(workspaceId: string): number {
    return Number(this.#db.prepare('SELECT count(*) AS n FROM tasks WHERE workspace_id = ?').get(workspaceId)?.n)
  }

  #staged(): number {
    return Number(this.#db.prepare(`SELECT count(*) AS n FROM ${this.#table}`).get()?.n)
  }

  /** No fewer than the rows there are, of all workspaces, and quick to ask. */
  #highestSeq(): number {
    return Number(this.#db.prepare('SELECT coalesce(max(seq), 0) AS n FROM tasks').get()?.n)
  }

  async discard(): Promise<void> {
    this.#db.exec(`DROP TABLE ${this.#table}`)
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
function reindexing(db: DatabaseSync, work: () => void): void {
  const indexes = db
    .prepare(
      "SELECT name, sql FROM main.sqlite_schema WHERE type = 'index' AND tbl_name = 'tasks' AND sql IS NOT NULL ORDER BY rowid",
    )
    .all()
  for (const { name } of indexes) db.exec(`DROP INDEX main.${name}`)
  work()
  for (const { sql } of indexes) db.exec(String(sql))
}

function takeSql(table: string): string {
  const values = columns.map((column) => (column === 'created_at' ? 'coalesce(created_at, :now)' : column))
  const replacements = columns
    .filter((column) => column !== 'id')
    .map((column) =>
      column === 'created_at'
        ? // This very moment stands for "not told": the task keeps the moment it has.
          'created_at = iif(excluded.created_at = :now, created_at, excluded.created_at)'
        : `${column} = excluded.${column}`,
    )
  // The mark would follow by itself, but then every row that has woken would be written twice.
  return `
    INSERT INTO tasks (workspace_id, ${columns.join(', ')}, woken)
    SELECT :workspaceId, ${values.join(', ')}, coalesce(snoozed_until <= :now, 0) FROM ${table} WHERE true ORDER BY rowid
    ON CONFLICT (workspace_id, id) DO UPDATE SET ${replacements.join(', ')}, woken = excluded.woken`
}
