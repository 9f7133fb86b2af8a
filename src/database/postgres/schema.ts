import { readFileSync } from 'node:fs'
import { StorageError } from '../errors.ts'
import type { Table } from '../table.ts'
import { tablesInUse } from '../tables/declared-tables.ts'
import {
  type CatalogueObject,
  describeObject,
  differencesOf,
  type Restoration,
  restorable,
  type SchemaDifference,
} from '../tables/schema-difference.ts'
import { createSearchIndexes } from './lists/search-index.ts'
import { type Connection, locked, recordedTables } from './migrate.ts'
import type { SessionPool } from './pool/session-pool.ts'
import { sqlFile } from './sql-file.ts'
import { dropSql, tableSchema } from './table-schema.ts'

export const schemaDifferences = async (connection: Connection, tables: readonly Table[]) => {
  const used = tablesInUse(tables, await recordedTables(connection))
  const expected = [...readExpected().objects, ...used.flatMap(resourceObjects)]
  return differencesOf(expected, await readCatalogue(connection), normalised)
}

export const restoreSchema = (pool: SessionPool, tables: readonly Table[]): Promise<Restoration> =>
  locked(pool, async (client) => {
    // The extension may have been allowed since.
    await createSearchIndexes(client, tables)
    if ((await schemaDifferences(client, tables)).length === 0) return { restored: [], left: [] }
    const restored: SchemaDifference[] = []
    // Twice, because PUBLIC may execute a recreated function.
    for (const _ of [1, 2])
      for (const difference of restorable(await schemaDifferences(client, tables))) {
        await restore(client, difference)
        restored.push(difference)
      }
    // Changes that no trigger saw have moved no revision, so caches may hold old responses.
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
    // Rows break a constraint, or an object is in use.
    if (!/^(23|2B|42P13)/.test(code)) throw error
    throw new StorageError(`${describeObject(difference)} cannot be restored: ${message}`, { cause: error })
  }
}

export interface ExpectedSchema {
  objects: CatalogueObject[]
  /** What docs/sql grants the server's role: besides reading, and for the settings page. */
  needed: Privilege[]
  settings: Privilege[]
}

/** The column is given if the privilege is limited to it. */
export type Privilege = [what: string, table: string, column?: string]

export const readExpected = (): ExpectedSchema =>
  JSON.parse(readFileSync(new URL('../../../contract/schema.postgres.json', import.meta.url), 'utf8'))

function resourceObjects(table: Table): CatalogueObject[] {
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
    ...objects.map(({ kind, name: object, sql }): CatalogueObject => {
      return { kind, table: kind === 'function' ? null : name, name: object, definition: sql }
    }),
  ]
}

/** Functions are in the order of creation, in which they can be created again. */
export const readCatalogue = async (connection: Connection): Promise<CatalogueObject[]> =>
  (await connection.query(sqlFile('catalogue'))).rows

/**
 * PostgreSQL rewrites casts, parentheses and the order of events, but not the body of a function. An operator may
 * validate what was added as NOT VALID.
 */
function normalised(sql: string): string {
  const isFunction = /^create (or replace )?function/i.test(sql)
  const [, head = withEncodedTexts(sql), , body = ''] = (isFunction && /^([^$]*)(\$\w*\$)([\s\S]*)\2/.exec(sql)) || []
  const plain = head
    .toLowerCase()
    .replaceAll('vitrine.', '')
    .replaceAll('timestamp with time zone', 'timestamptz')
    .replaceAll(/::[a-z_]+(\[\])?/g, '')
    .replaceAll('"', '')
    .replaceAll(/['()]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (using btree|not valid)\b/g, '')
    .replaceAll(' ~~ ', ' like ')
    .replaceAll(/ ?,/g, ',')
    .replaceAll(/= any array\[ ?(.*?) ?\]/g, 'in $1')
    .replace('create or replace', 'create')
    .replaceAll(/( set \w+) to /g, '$1 = ')
    .replace(/(before|after) (.+?) on /, (_, when, events) => `${when} ${events.split(' or ').sort().join(' or ')} on `)
  return `${plain.trim()} ${body}`
}

/** A text, such as a choice, may look like SQL. PostgreSQL writes a negative number as text. */
const withEncodedTexts = (sql: string) =>
  sql.replaceAll(/'((?:[^']|'')*)'/g, (_, text) =>
    /^[\w.-]*$/.test(text) ? text : ` ${Buffer.from(text).toString('hex')} `,
  )
