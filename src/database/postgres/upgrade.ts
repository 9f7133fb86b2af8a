import type { PoolClient } from 'pg'
import { quoted } from '../statements.ts'
import type { Upgrade } from '../tables/declared-lists.ts'
import { asideName, upgrade } from '../upgrade.ts'
import { PostgresTransaction } from './transaction.ts'

/** Runs in the caller's transaction. Tables are copied, not renamed, so that the new ones can have the names of their constraints. */
export function upgradePostgres(
  client: PoolClient,
  version: number,
  createSchema: () => Promise<void>,
): Promise<Upgrade> {
  const runAll = async (statements: readonly string[]) => {
    await client.query(statements.join(';\n'))
  }
  const tx = new PostgresTransaction(client, Date.now())
  return upgrade({
    engine: 'postgres',
    tx,
    version,
    columns: () => tx.all(COLUMNS),
    async setAside(tables) {
      const all = tables.map(inSchema).join(', ')
      const functions = await tx.all<{ name: string }>(FUNCTIONS)
      await runAll([
        `LOCK TABLE ${all} IN ACCESS EXCLUSIVE MODE`,
        ...tables.map((name) => `CREATE UNLOGGED TABLE ${inSchema(asideName(name))} AS TABLE ${inSchema(name)}`),
        `DROP FUNCTION ${functions.map(({ name }) => name).join(', ')} CASCADE`,
        `DROP TABLE ${all}`,
      ])
    },
    createSchema,
    finish: (tables) =>
      runAll([
        ...['audit', 'request_log'].map(
          (table) => `SELECT setval(pg_get_serial_sequence('vitrine.${table}', 'id'), max(id)) FROM ${inSchema(table)}`,
        ),
        `DROP TABLE ${tables.map(asideName).map(inSchema).join(', ')}`,
      ]),
  })
}

const inSchema = (name: string) => `vitrine.${quoted(name)}`

/** A table may have no columns. */
const COLUMNS = `SELECT relname AS "table", attname AS name
  FROM pg_class LEFT JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
  WHERE relnamespace = 'vitrine'::regnamespace AND relkind = 'r'`

/** Triggers of an application's own tables call some of them. */
const FUNCTIONS = `SELECT oid::regprocedure::text AS name FROM pg_proc
  WHERE pronamespace = 'vitrine'::regnamespace AND prokind = 'f'`
