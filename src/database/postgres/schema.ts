import { readFileSync } from 'node:fs'
import { StorageError } from '../errors.ts'
import {
  type CatalogueObject,
  describeObject,
  differencesOf,
  type Restoration,
  restorable,
  type SchemaDifference,
} from '../schema-difference.ts'
import type { Table } from '../table.ts'
import { type Connection, locked } from './migrate.ts'
import type { SessionPool } from './session-pool.ts'
import { dropSql, tableSchema } from './table-schema.ts'

export const schemaDifferences = async (
  connection: Connection,
  tables: readonly Table[],
): Promise<SchemaDifference[]> => differencesOf(expectedSchema(tables), await catalogue(connection), normalised)

export const restoreSchema = (pool: SessionPool, tables: readonly Table[]): Promise<Restoration> =>
  locked(pool, async (client) => {
    if ((await schemaDifferences(client, tables)).length === 0) return { restored: [], left: [] }
    // A function may name one that is created after it.
    await client.query('SET LOCAL check_function_bodies = off')
    // What others lock, in their order, and before any lock of a table: none of them waits for us while we wait for it.
    await client.query('SELECT FROM vitrine.workspaces ORDER BY id FOR KEY SHARE')
    await client.query('SELECT FROM vitrine.revisions ORDER BY workspace_id FOR UPDATE')
    const restored: SchemaDifference[] = []
    // Twice, since a function that is created anew is executable by PUBLIC.
    for (const _ of [1, 2])
      for (const difference of restorable(await schemaDifferences(client, tables))) {
        await restore(client, difference)
        restored.push(difference)
      }
    // Changes that no trigger saw have moved no revision, and caches may hold what was there before them.
    if (restored.some(({ object: { kind } }) => kind === 'trigger' || kind === 'function'))
      await client.query('UPDATE vitrine.revisions SET number = vitrine.next_revision(number)')
    return { restored, left: await schemaDifferences(client, tables) }
  })

async function restore(client: Connection, difference: SchemaDifference): Promise<void> {
  const { kind, table, definition } = difference.object
  const drop = kind === 'function' || kind === 'grant' ? '' : `${dropSql(table ?? '', difference.object)};`
  try {
    await client.query(`${drop} ${definition}`)
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string }
    // Of an integrity constraint: rows that it would not allow. Of another object: one that is in use.
    if (!/^(23|2B|42P13)/.test(code)) throw error
    throw new StorageError(`${describeObject(difference)} cannot be restored: ${message}`, { cause: error })
  }
}

export interface ExpectedSchema {
  objects: CatalogueObject[]
  /** What the server's role needs besides reading, and what it may have for the settings page: as in docs/sql. */
  needed: Privilege[]
  settings: Privilege[]
}

/** With a column where it is limited to that. */
export type Privilege = [what: string, table: string, column?: string]

export const readExpected = (): ExpectedSchema =>
  JSON.parse(readFileSync(new URL('../../../contract/schema.postgres.json', import.meta.url), 'utf8'))

function expectedSchema(tables: readonly Table[]): CatalogueObject[] {
  const { objects } = readExpected()
  const isPublic = objects.some(({ kind, name }) => kind === 'grant' && name === 'EXECUTE')
  return [...objects, ...tables.flatMap((table) => resourceObjects(table, isPublic))]
}

function resourceObjects(table: Table, isPublic: boolean): CatalogueObject[] {
  const { name, columns, objects } = tableSchema(table)
  const constraint = (suffix: string, definition: string): CatalogueObject => ({
    kind: 'constraint',
    table: name,
    name: `${name}_${suffix}`,
    definition: `ALTER TABLE vitrine.${name} ADD CONSTRAINT ${name}_${suffix} ${definition}`,
  })
  return [
    { kind: 'table', table: name, name, definition: '' },
    ...[...columns].map(([column, { sql }]): CatalogueObject => {
      return { kind: 'column', table: name, name: column, definition: sql.replace(' PRIMARY KEY', '') }
    }),
    constraint('pkey', 'PRIMARY KEY (seq)'),
    constraint('workspace_id_id_key', 'UNIQUE (workspace_id, id)'),
    ...objects.flatMap(({ kind, name: object, sql }): CatalogueObject[] => [
      { kind, table: kind === 'function' ? null : name, name: object, definition: sql },
      ...(kind === 'function' && isPublic
        ? [{ kind: 'grant' as const, table: object, name: 'EXECUTE', definition: '' }]
        : []),
    ]),
  ]
}

/** In the order of creation, so that functions can be created again in that order. Names within definitions are qualified. */
export async function catalogue(connection: Connection): Promise<CatalogueObject[]> {
  const { rows } = await connection.query(CATALOGUE)
  return rows
}

const OURS = `relnamespace = 'vitrine'::regnamespace AND relkind IN ('r', 'p')`
const CATALOGUE = `
  SELECT 'schema' AS kind, NULL AS "table", 'vitrine' AS name, '' AS definition
  UNION ALL SELECT 'table', relname, relname, '' FROM pg_class WHERE ${OURS}
  UNION ALL SELECT 'column', relname, attname, concat_ws(' ', format_type(atttypid, atttypmod),
      CASE attidentity WHEN 'a' THEN 'GENERATED ALWAYS AS IDENTITY' WHEN 'd' THEN 'GENERATED BY DEFAULT AS IDENTITY' END,
      CASE WHEN attnotnull AND attidentity = '' THEN 'NOT NULL' END, 'DEFAULT ' || pg_get_expr(adbin, adrelid))
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
    WHERE ${OURS} AND attnum > 0 AND NOT attisdropped
  UNION ALL SELECT 'constraint', relname, conname,
      format('ALTER TABLE vitrine.%I ADD CONSTRAINT %I %s', relname, conname, pg_get_constraintdef(pg_constraint.oid))
        || CASE WHEN EXISTS (SELECT FROM pg_trigger WHERE tgconstraint = pg_constraint.oid AND tgenabled = 'D') THEN ' DISABLED' ELSE '' END
    FROM pg_class JOIN pg_constraint ON conrelid = pg_class.oid WHERE ${OURS} AND contype NOT IN ('n', 't')
  UNION ALL SELECT 'index', pg_class.relname, i.relname, pg_get_indexdef(indexrelid) || CASE WHEN indisvalid THEN '' ELSE ' DISABLED' END
    FROM pg_class JOIN pg_index ON indrelid = pg_class.oid JOIN pg_class AS i ON i.oid = indexrelid
    WHERE pg_class.${OURS.replace('AND ', 'AND pg_class.')}
      AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND contype <> 'f')
  UNION ALL (SELECT 'function', NULL, proname, pg_get_functiondef(oid)
    FROM pg_proc WHERE pronamespace = 'vitrine'::regnamespace AND prokind = 'f' ORDER BY oid)
  UNION ALL SELECT 'trigger', relname, tgname, pg_get_triggerdef(pg_trigger.oid) || CASE WHEN tgenabled = 'O' THEN '' ELSE
      format('; ALTER TABLE vitrine.%I %s TRIGGER %I', relname, CASE tgenabled WHEN 'A' THEN 'ENABLE ALWAYS' WHEN 'R' THEN 'ENABLE REPLICA' ELSE 'DISABLE' END, tgname) END
    FROM pg_class JOIN pg_trigger ON tgrelid = pg_class.oid WHERE ${OURS} AND NOT tgisinternal
  UNION ALL SELECT 'grant', relname, privilege_type, format('REVOKE %s ON vitrine.%I FROM PUBLIC', privilege_type, relname)
    FROM pg_class, aclexplode(relacl) WHERE ${OURS} AND grantee = 0
  UNION ALL SELECT 'grant', relname, format('%s (%I)', privilege_type, attname),
      format('REVOKE %s (%I) ON vitrine.%I FROM PUBLIC', privilege_type, attname, relname)
    FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid, aclexplode(attacl) WHERE ${OURS} AND grantee = 0
  UNION ALL SELECT 'grant', proname, privilege_type, format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', oid::regprocedure)
    FROM pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner)))
    WHERE pronamespace = 'vitrine'::regnamespace AND prokind = 'f' AND grantee = 0
  UNION ALL SELECT 'grant', 'vitrine', privilege_type, format('REVOKE %s ON SCHEMA vitrine FROM PUBLIC', privilege_type)
    FROM pg_namespace, aclexplode(nspacl) WHERE nspname = 'vitrine' AND grantee = 0 AND privilege_type = 'CREATE'`

/**
 * PostgreSQL writes a definition in its own way: with casts, parentheses and the order of events that it likes. Only the body of
 * a function is as it was given. An operator may validate what was added as NOT VALID.
 */
function normalised(sql: string): string {
  const [, head = sql, , body = ''] = /^([^$]*)(\$\w*\$)([\s\S]*)\2/.exec(sql) ?? []
  const plain = head
    .toLowerCase()
    .replaceAll('vitrine.', '')
    .replaceAll('timestamp with time zone', 'timestamptz')
    .replaceAll(/::[a-z_]+(\[\])?/g, '')
    .replaceAll(/["'()]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (using btree|not valid)\b/g, '')
    .replaceAll(' ~~ ', ' like ')
    .replaceAll(/ ?,/g, ',')
    .replace('create or replace', 'create')
    .replaceAll(/( set \w+) to /g, '$1 = ')
    .replace(/(before|after) (.+?) on /, (_, when, events) => `${when} ${events.split(' or ').sort().join(' or ')} on `)
  return `${plain.trim()} ${body}`
}
