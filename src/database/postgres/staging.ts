import type { PoolClient } from 'pg'
import type { Row } from '../../lists/column.ts'
import type { Difference, SqlConnection, Staging, StagingScope } from '../store.ts'
import { importedColumns, quoted, type Table } from '../table.ts'
import { StagedRows } from '../tables/staged-rows.ts'
import { explained } from './faults.ts'
import { typeOf } from './lists/list.ts'
import type { SessionPool } from './pool/session-pool.ts'
import { PostgresTransaction } from './transaction.ts'

/** Separates our locks ("VTRN") from those of other programs in the same database. */
const LOCK_SEED = 0x5654524e

/**
 * Uses a temporary table, so staging blocks no one. Through a pooler, a session lasts only for one transaction, so the
 * rows are staged in the transaction that will write them.
 */
export class PostgresStaging extends StagedRows implements Staging {
  /** The store's only connection, held until the rows are discarded. */
  readonly client: Promise<PoolClient>
  readonly #onDiscarded: () => void
  isInTransaction = false

  constructor(pool: SessionPool, table: Table, onDiscarded: () => void) {
    super(table, {
      staged: 'pg_temp._staged',
      difference: 'pg_temp._difference',
      target: `vitrine.${quoted(table.name)}`,
      revisions: 'vitrine.revisions',
      index: ['CREATE INDEX ON pg_temp._staged (id)', 'ANALYZE pg_temp._staged'],
      forUpdate: 'FOR UPDATE',
      keepWorkspace: 'SELECT 1 FROM vitrine.workspaces WHERE id = ? FOR KEY SHARE',
      instant: 'CAST(? AS timestamptz)',
    })
    this.client = explained(() => this.#open(pool))
    // add() or compare() reports a failure. This only prevents an unhandled rejection.
    this.client.catch(() => {})
    this.#onDiscarded = onDiscarded
  }

  async #open(pool: SessionPool): Promise<PoolClient> {
    const client = await pool.connect()
    try {
      this.isInTransaction = pool.isPooled(client)
      const definitions = importedColumns(this.table).map((column) => `${quoted(column.name)} ${typeOf(column)}`)
      const tables = [
        `_staged (_place bigserial, _deleted integer NOT NULL, ${definitions.join(', ')})`,
        '_difference (_number bigserial, _kind text, _place bigint, _seq bigint)',
      ]
      const [begin, end] = this.isInTransaction
        ? [`${pool.begin(client, 'READ COMMITTED')}; `, ' ON COMMIT DROP']
        : ['', '']
      await client.query(begin + tables.map((definition) => `CREATE TEMP TABLE ${definition}${end}`).join('; '))
      return client
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  async add(rows: readonly Row[]): Promise<void> {
    const client = await this.client
    const columns = importedColumns(this.table)
    const [names, fields] = [columns.map(({ name }) => quoted(name)), columns.map(({ field }) => quoted(field))]
    const typed = columns.map((column) => `${quoted(column.field)} ${typeOf(column)}`)
    await explained(() =>
      client.query({
        ...(!this.isInTransaction && { name: `stage ${this.table.name}` }),
        text: `INSERT INTO pg_temp._staged (_deleted, ${names.join(', ')})
               SELECT CASE WHEN deleted THEN 1 ELSE 0 END, ${fields.join(', ')}
               FROM json_to_recordset($1) AS _row (deleted boolean, ${typed.join(', ')})`,
        values: [JSON.stringify(rows)],
      }),
    )
  }

  /** Through a pooler, a session lasts only for one transaction. Both kinds of lock end with the connection. */
  async lock(name: string): Promise<boolean> {
    const client = await this.client
    const tryLock = this.isInTransaction ? 'pg_try_advisory_xact_lock' : 'pg_try_advisory_lock'
    return explained(async () => {
      const { rows } = await client.query<{ isOurs: boolean }>(
        `SELECT ${tryLock}(hashtextextended($1, ${LOCK_SEED})) AS "isOurs"`,
        [name],
      )
      return rows[0]?.isOurs ?? false
    })
  }

  async compare(scope: StagingScope, tx?: SqlConnection): Promise<Difference> {
    const client = await this.client
    return explained(() => this.difference(tx ?? new PostgresTransaction(client, 0), scope, tx !== undefined))
  }

  /** Not needed: a large transaction delays only writers of the same rows. */
  async writeAhead(): Promise<void> {}

  /** Comparing again within the transaction blocks no one. */
  async isCurrent(): Promise<boolean> {
    return true
  }

  async discard(): Promise<void> {
    this.#onDiscarded()
    const client = await this.client
    try {
      const clear = 'SELECT pg_advisory_unlock_all(); DROP TABLE IF EXISTS pg_temp._staged, pg_temp._difference'
      await client.query(this.isInTransaction ? 'ROLLBACK' : clear)
      client.release()
    } catch (error) {
      client.release(true)
      throw error
    }
  }
}
