import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { columnOf } from '../columns.ts'
import { type TaskRow, type TaskStaging, taskColumns } from '../store.ts'
import { explained } from './faults.ts'

const columns = taskColumns.map(columnOf)
let made = 0

/** A temporary table: it lies in a file of its own, so filling it takes no lock on the database. */
export class SqliteTaskStaging implements TaskStaging {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #table = `staged_tasks_${++made}`
  readonly #insert: StatementSync

  constructor(db: DatabaseSync, path: string) {
    this.#db = db
    this.#path = path
    db.exec(`CREATE TEMP TABLE ${this.#table} (${columns.join(', ')})`)
    this.#insert = db.prepare(
      `INSERT INTO ${this.#table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
    )
  }

  add(row: TaskRow): void {
    explained(this.#path, () => this.#insert.run(...taskColumns.map((column) => row[column])))
  }

  /** Takes the rows into the tasks table. Part of a transaction: see SqliteTransaction. */
  take(workspaceId: string, now: string): { created: number; replaced: number } {
    const before = this.#count(workspaceId)
    this.#db.prepare(takeSql(this.#table)).run({ workspaceId, now })
    const created = this.#count(workspaceId) - before
    return { created, replaced: this.#staged() - created }
  }

  #count(workspaceId: string): number {
    return Number(this.#db.prepare('SELECT count(*) AS n FROM tasks WHERE workspace_id = ?').get(workspaceId)?.n)
  }

  #staged(): number {
    return Number(this.#db.prepare(`SELECT count(*) AS n FROM ${this.#table}`).get()?.n)
  }

  async discard(): Promise<void> {
    this.#db.exec(`DROP TABLE ${this.#table}`)
  }
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
  return `
    INSERT INTO tasks (workspace_id, ${columns.join(', ')})
    SELECT :workspaceId, ${values.join(', ')} FROM ${table} WHERE true ORDER BY rowid
    ON CONFLICT (workspace_id, id) DO UPDATE SET ${replacements.join(', ')}`
}
