import type { PoolClient } from 'pg'
import type { SqlConnection, Staging } from '../store.ts'
import { importedColumns, quoted, type Row, type Table } from '../table.ts'
import { explained } from './faults.ts'
import type { SessionPool } from './session-pool.ts'
import { typeOf } from './table-schema.ts'

/**
 * A temporary table of one connection: filling it takes no lock that anyone else could meet. Through a pooler a connection
 * is the same only within a transaction, so there it is filled in one, which the transaction that takes the rows ends.
 */
export class PostgresStaging implements Staging {
  /** Kept until the rows are discarded; it is the only one of the operator's store. */
  readonly client: Promise<PoolClient>
  readonly #table: Table
  readonly #columns: { field: string; name: string; type: string }[]
  readonly #onDiscarded: () => void
  isInTransaction = false
  #rows: Row[] = []

  constructor(pool: SessionPool, table: Table, onDiscarded: () => void) {
    this.#table = table
    this.#columns = importedColumns(table).map((column) => ({ ...column, type: typeOf(column) }))
    this.client = explained(() => this.#open(pool))
    // Whoever flushes hears of a failure; until then it is not unhandled.
    this.client.catch(() => {})
    this.#onDiscarded = onDiscarded
  }

  async #open(pool: SessionPool): Promise<PoolClient> {
    const client = await pool.connect()
    try {
      this.isInTransaction = pool.isPooled(client)
      const definitions = this.#columns.map(({ name, type }) => `${quoted(name)} ${type}`).join(', ')
      await client.query(
        this.isInTransaction
          ? `BEGIN; CREATE TEMP TABLE _staged (_place bigserial, ${definitions}) ON COMMIT DROP`
          : `CREATE TEMP TABLE _staged (_place bigserial, ${definitions})`,
      )
      return client
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  add(row: Row): void {
    this.#rows.push(row)
  }

  async flush(): Promise<void> {
    const client = await this.client
    if (this.#rows.length === 0) return
    const rows = this.#rows
    this.#rows = []
    const names = this.#columns.map(({ name }) => quoted(name)).join(', ')
    const parameters = this.#columns.map(({ type }, i) => `$${i + 1}::${type}[]`).join(', ')
    await explained(() =>
      client.query({
        ...(!this.isInTransaction && { name: `stage ${this.#table.name}` }),
        text: `INSERT INTO pg_temp._staged (${names}) SELECT * FROM unnest(${parameters})`,
        values: this.#columns.map(({ field }) => rows.map((row) => row[field] ?? null)),
      }),
    )
  }

  async take(
    connection: SqlConnection,
    workspaceId: string,
    now: string,
  ): Promise<{ created: number; replaced: number }> {
    const [counts] = await connection.all<{ created: number; staged: number }>(
      takeSql(this.#table),
      ...[workspaceId, now],
    )
    const { created = 0, staged = 0 } = counts ?? {}
    return { created, replaced: staged - created }
  }

  async discard(): Promise<void> {
    this.#onDiscarded()
    const client = await this.client
    try {
      await client.query(this.isInTransaction ? 'ROLLBACK' : 'DROP TABLE IF EXISTS pg_temp._staged')
      client.release()
    } catch (error) {
      client.release(true)
      throw error
    }
  }
}

const NOW = '(SELECT _now FROM _given)'

/**
 * An id that was staged twice stands where it stood first, with what it held last. Names of ours begin with an underscore,
 * which no field's column does.
 */
function takeSql(table: Table): string {
  const columns = importedColumns(table)
  const values = columns.map(({ name, isCreation }) =>
    isCreation ? `coalesce(${quoted(name)}, ${NOW})` : quoted(name),
  )
  const replacements = columns.flatMap(({ name, field, isCreation }) => {
    const [column, given] = [quoted(name), `excluded.${quoted(name)}`]
    if (field === 'id') return []
    // This very moment stands for "not told": the row keeps the moment it has.
    const kept = `CASE WHEN ${given} = ${NOW} THEN _table.${column} ELSE ${given} END`
    return `${column} = ${isCreation ? kept : given}`
  })
  return `
    WITH _given AS (SELECT ?::text AS _workspace_id, ?::timestamptz AS _now), _taken AS (
      INSERT INTO vitrine.${quoted(table.name)} AS _table (workspace_id, ${columns.map(({ name }) => quoted(name)).join(', ')})
      SELECT (SELECT _workspace_id FROM _given), ${values.join(', ')}
      FROM (
        SELECT *, min(_place) OVER _same AS _first_place, row_number() OVER (_same ORDER BY _place DESC) AS _age
        FROM pg_temp._staged WINDOW _same AS (PARTITION BY id COLLATE "C")
      ) AS _rows
      WHERE _age = 1 ORDER BY _first_place
      ON CONFLICT (workspace_id, id) DO UPDATE SET ${replacements.join(', ')}
      RETURNING xmax = 0 AS _is_new
    )
    SELECT count(*) FILTER (WHERE _is_new) AS created, (SELECT count(*) FROM pg_temp._staged) AS staged FROM _taken`
}
