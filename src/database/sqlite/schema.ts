import { readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import type { Differences } from '../store.ts'
import type { Table } from '../table.ts'
import { definitionDifferences, tablesInUse } from '../tables/declared-tables.ts'
import {
  type CatalogueObject,
  differencesOf,
  type Restoration,
  restorable,
  type SchemaDifference,
} from '../tables/schema-difference.ts'
import { searchIndex } from './lists/search-index.ts'
import { recordedTables } from './migrate.ts'
import { dropSql, tableSchema } from './table-schema.ts'

export function schemaDifferences(db: DatabaseSync, tables: readonly Table[]): SchemaDifference[] {
  const expected = expectedSchema(tablesInUse(tables, recordedTables(db)))
  return differencesOf(expected, readCatalogue(db), normalised)
}

export const readDifferences = (db: DatabaseSync, tables: readonly Table[]): Differences => ({
  schema: schemaDifferences(db, tables),
  definitions: definitionDifferences(tables, recordedTables(db)),
})

/** Runs in the caller's transaction. */
export function restoreSchema(db: DatabaseSync, tables: readonly Table[]): Restoration {
  const restored = restorable(schemaDifferences(db, tables))
  for (const { object } of restored) db.exec(`${dropSql(object)}; ${object.definition}`)
  // Changes that no trigger saw have moved no revision, so caches may hold old responses, and are not in any search.
  const tablesOf = (...kinds: string[]) =>
    new Set(restored.filter(({ object }) => kinds.includes(object.kind)).map(({ object }) => object.table))
  if (tablesOf('trigger').size > 0) db.exec('UPDATE revisions SET number = number + 1')
  const isUnfilled = tablesOf('trigger', 'search')
  for (const object of tables.filter(({ name }) => isUnfilled.has(name)).flatMap(searchIndex))
    if (object.fill !== undefined) db.exec(`${dropSql(object)}; ${object.sql}; ${object.fill}`)
  return { restored, left: schemaDifferences(db, tables) }
}

function expectedSchema(tables: readonly Table[]): CatalogueObject[] {
  const file = new URL('../../../contract/schema.sqlite.json', import.meta.url)
  return [
    ...(JSON.parse(readFileSync(file, 'utf8')) as CatalogueObject[]),
    ...tables
      .map(tableSchema)
      .flatMap(({ name: table, create, objects }) => [
        ...tableObjects(table, create),
        ...objects.map(({ kind, name, sql }) => ({ kind, table, name, definition: sql })),
      ]),
  ]
}

export function readCatalogue(db: DatabaseSync): CatalogueObject[] {
  const rows = db.prepare(`SELECT type AS kind, tbl_name AS "table", name, sql AS definition FROM main.sqlite_schema
                           WHERE type IN ('table', 'index', 'trigger', 'view') AND sql IS NOT NULL
                             AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')`)
  return (rows.all() as unknown as CatalogueObject[]).flatMap((object) => {
    if (object.definition.startsWith('CREATE VIRTUAL')) return { ...object, kind: 'search' as const }
    return object.kind === 'table' ? tableObjects(object.name, object.definition) : [object]
  })
}

/** The order does not matter: a column that was added later comes after the others. */
function tableObjects(table: string, sql: string): CatalogueObject[] {
  const plain = normalised(sql)
  const [open, close] = [plain.indexOf('('), plain.lastIndexOf(')')]
  const parts = splitAtCommas(plain.slice(open + 1, close)).map((part): CatalogueObject => {
    if (/^(CONSTRAINT|PRIMARY KEY|UNIQUE|CHECK|FOREIGN KEY)\b/.test(part))
      return { kind: 'constraint', table, name: part, definition: '' }
    const [name = '', ...definition] = part.split(' ')
    return { kind: 'column', table, name, definition: definition.join(' ') }
  })
  return [{ kind: 'table', table, name: table, definition: plain.slice(close + 1) }, ...parts]
}

/** Ignores commas within parentheses or quotes. */
function splitAtCommas(text: string): string[] {
  const parts = ['']
  let depth = 0
  let isQuoted = false
  for (const character of text) {
    if (character === "'") isQuoted = !isQuoted
    if (!isQuoted && character === '(') depth++
    if (!isQuoted && character === ')') depth--
    if (character === ',' && depth === 0 && !isQuoted) parts.push('')
    else parts[parts.length - 1] += character
  }
  return parts
}

/** SQLite keeps the text of a statement, but quotes renamed objects. */
const normalised = (sql: string): string =>
  sql
    .replaceAll(/--.*/g, '')
    .replaceAll('"', '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([(),]) ?/g, '$1')
