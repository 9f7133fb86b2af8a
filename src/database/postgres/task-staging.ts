import type { PoolClient } from 'pg'
import { columnOf } from '../columns.ts'
import type { SqlConnection } from '../sql-connection.ts'
import { type TaskRow, type TaskStaging, taskColumns } from '../store.ts'
import { explained } from './faults.ts'
import type { SessionPool } from './session-pool.ts'

/** This very moment stands for "not told": the task keeps the moment it has. */
const CREATED_AT_KEPT =
  'created_at = CASE WHEN excluded.created_at = ?::timestamptz THEN t.created_at ELSE excluded.created_at END'

const columns = taskColumns.map((field) => {
  const name = columnOf(field)
  return { field, name, type: /_(at|until)$/.test(name) ? 'timestamptz' : 'text' }
})
const names = columns.map(({ name }) => name).join(', ')

/**
 * A temporary table of one connection: filling it takes no lock that anyone else could meet. Through a pooler a connection
 * is the same only within a transaction, so there it is filled in one, which the transaction that takes the tasks ends.
 */
export class PostgresTaskStaging implements TaskStaging {
  /** Kept until the rows are discarded; it is the only one of the operator's store. */
  readonly client: Promise<PoolClient>
  readonly #onDiscarded: () => void
  isInTransaction = false
  #rows: TaskRow[] = []

  constructor(pool: SessionPool, onDiscarded: () => void) {
    this.client = explained(() => this.#open(pool))
    // Whoever flushes hears of a failure; until then it is not unhandled.
    this.client.catch(() => {})
    this.#onDiscarded = onDiscarded
  }

  async #open(pool: SessionPool): Promise<PoolClient> {
    const client = await pool.connect()
    try {
      this.isInTransaction = pool.isPooled(client)
      const definitions = columns.map(({ name, type }) => `${name} ${type}`).join(', ')
      await client.query(
        this.isInTransaction
          ? `BEGIN; CREATE TEMP TABLE staged_tasks (place bigserial, ${definitions}) ON COMMIT DROP`
          : `CREATE TEMP TABLE staged_tasks (place bigserial, ${definitions})`,
      )
      return client
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  add(row: TaskRow): void {
    this.#rows.push(row)
  }

  async flush(): Promise<void> {
    const client = await this.client
    if (this.#rows.length === 0) return
    const rows = this.#rows
    this.#rows = []
    const parameters = columns.map(({ type }, i) => `$${i + 1}::${type}[]`).join(', ')
    await explained(() =>
      client.query({
        ...(!this.isInTransaction && { name: 'stage tasks' }),
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
    this.#onDiscarded()
    const client = await this.client
    try {
      await client.query(this.isInTransaction ? 'ROLLBACK' : 'DROP TABLE IF EXISTS pg_temp.staged_tasks')
      client.release()
    } catch (error) {
      client.release(true)
      throw error
    }
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
