import type { Pool } from 'pg'
import { columnOf } from '../columns.ts'
import type { SqlConnection } from '../sql-connection.ts'
import { type TaskRow, type TaskStaging, taskColumns } from '../store.ts'
import { explained } from './faults.ts'

/** This very moment stands for "not told": the task keeps the moment it has. */
const CREATED_AT_KEPT =
  'created_at = CASE WHEN excluded.created_at = ?::timestamptz THEN t.created_at ELSE excluded.created_at END'

const columns = taskColumns.map((field) => {
  const name = columnOf(field)
  return { field, name, type: /_(at|until)$/.test(name) ? 'timestamptz' : 'text' }
})
const names = columns.map(({ name }) => name).join(', ')

/** A temporary table of this connection: filling it takes no lock that anyone else could meet. */
export class PostgresTaskStaging implements TaskStaging {
  readonly #pool: Pool
  readonly #made: Promise<unknown>
  #rows: TaskRow[] = []

  constructor(pool: Pool) {
    this.#pool = pool
    const definitions = columns.map(({ name, type }) => `${name} ${type}`).join(', ')
    this.#made = explained(() => pool.query(`CREATE TEMP TABLE staged_tasks (place bigserial, ${definitions})`))
    // Whoever flushes hears of a failure; until then it is not unhandled.
    this.#made.catch(() => {})
  }

  add(row: TaskRow): void {
    this.#rows.push(row)
  }

  async flush(): Promise<void> {
    await this.#made
    if (this.#rows.length === 0) return
    const rows = this.#rows
    this.#rows = []
    const parameters = columns.map(({ type }, i) => `$${i + 1}::${type}[]`).join(', ')
    await explained(() =>
      this.#pool.query({
        name: 'stage tasks',
        text: `INSERT INTO pg_temp.staged_tasks (${names}) SELECT * FROM unnest(${parameters})`,
        values: columns.map(({ field }) => rows.map((row) => row[field])),
      }),
    )
  }

  async take(
    connection: SqlConnection,
    workspaceId: string,
    now: string,
  ): Promise<{ created: number; replaced: number }> {
    const [counts] = await connection.all<{ created: number; staged: number }>(TAKE, workspaceId, now, now)
    const { created = 0, staged = 0 } = counts ?? {}
    return { created, replaced: staged - created }
  }

  async discard(): Promise<void> {
    await this.#made
    await this.#pool.query('DROP TABLE IF EXISTS pg_temp.staged_tasks')
  }
}

/** An id that was staged twice stands where it stood first, with what it held last. */
const TAKE = `
  WITH taken AS (
    INSERT INTO tasks AS t (workspace_id, ${names})
    SELECT ?, ${columns.map(({ name }) => (name === 'created_at' ? 'coalesce(created_at, ?::timestamptz)' : name)).join(', ')}
    FROM (
      SELECT *, min(place) OVER same AS first_place, row_number() OVER (same ORDER BY place DESC) AS age
      FROM pg_temp.staged_tasks WINDOW same AS (PARTITION BY id COLLATE "C")
    ) AS staged
    WHERE age = 1 ORDER BY first_place
    ON CONFLICT (workspace_id, id) DO UPDATE SET ${columns
      .filter(({ name }) => name !== 'id')
      .map(({ name }) => (name === 'created_at' ? CREATED_AT_KEPT : `${name} = excluded.${name}`))
      .join(', ')}
    RETURNING xmax = 0 AS is_new
  )
  SELECT count(*) FILTER (WHERE is_new) AS created, (SELECT count(*) FROM pg_temp.staged_tasks) AS staged FROM taken`
