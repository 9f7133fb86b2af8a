import { readFileSync } from 'node:fs'
import { StorageError } from '../errors.ts'
import { quoted } from '../statements.ts'
import {
  type CatalogueObject,
  describeObject,
  differencesOf,
  type Restoration,
  restorable,
  type SchemaDifference,
} from '../tables/schema-difference.ts'
import { type Connection, locked } from './migrate.ts'
import type { SessionPool } from './pool/session-pool.ts'
import { sqlFile } from './sql-file.ts'

export const schemaDifferences = async (connection: Connection): Promise<SchemaDifference[]> =>
  differencesOf(readExpected().objects, await readCatalogue(connection), normalised)

export const restoreSchema = (pool: SessionPool): Promise<Restoration> =>
  locked(pool, async (client) => {
    const restored: SchemaDifference[] = []
    // Twice, because PUBLIC may execute a recreated function.
    for (const _ of [1, 2])
      for (const difference of restorable(await schemaDifferences(client))) {
        await restore(client, difference)
        restored.push(difference)
      }
    return { restored, left: await schemaDifferences(client) }
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

function dropSql(table: string, { kind, name }: { kind: string; name: string }): string {
  switch (kind) {
    case 'trigger':
      return `DROP TRIGGER IF EXISTS ${name} ON vitrine.${quoted(table)}`
    case 'constraint':
      return `ALTER TABLE vitrine.${quoted(table)} DROP CONSTRAINT IF EXISTS ${name}`
    default:
      return `DROP ${kind} IF EXISTS vitrine.${quoted(name)}`
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
