import type { PoolClient } from 'pg'
import type { OldList } from '../old-lists.ts'
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
    setAside(tables, lists) {
      const all = tables.map(inSchema).join(', ')
      return runAll([
        `LOCK TABLE ${all} IN ACCESS EXCLUSIVE MODE`,
        ...tables.map((name) => `CREATE UNLOGGED TABLE ${inSchema(asideName(name))} AS TABLE ${inSchema(name)}`),
        `DROP FUNCTION IF EXISTS ${[...FUNCTIONS, ...lists.flatMap(functionsOf)].map(inSchema).join(', ')} CASCADE`,
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

const functionsOf = ({ objects }: OldList): string[] =>
  (JSON.parse(objects) as [kind: string, name: string][]).flatMap(([kind, name]) => (kind === 'function' ? name : []))

/** A table may have no columns. */
const COLUMNS = `SELECT relname AS "table", attname AS name
  FROM pg_class LEFT JOIN pg_attribute ON attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped
  WHERE relnamespace = 'vitrine'::regnamespace AND relkind = 'r'`

/** Those of all versions, except the functions of lists. Triggers of an application's own tables call some of them. */
const FUNCTIONS = [
  ...['bound_callers', 'bound_requests', 'bound_workspace_use', 'check_key', 'check_key_times', 'check_member'],
  ...['check_member_sign_in', 'check_workspace', 'day_in_zone', 'follow', 'keep_key', 'keep_views', 'left_out'],
  ...[
    'move_all_revisions',
    'move_revision_of_workspace',
    'move_revisions',
    'move_revisions_both',
    'move_revisions_new',
  ],
  ...['move_revisions_old', 'move_revisions_replicated', 'next_revision', 'own_columns', 'own_fault', 'own_filter'],
  ...['own_lock', 'own_row', 'own_rows', 'own_shown', 'own_source', 'own_view', 'own_workspace', 'own_workspaces'],
  ...['own_workspaces_fault', 'refresh', 'refresh_rows', 'refresh_workspaces', 'refuse', 'refuse_audit_change'],
  ...['remove_workspaces', 'show', 'show_all', 'show_changes', 'take_turns', 'workspaces_fault'],
]
