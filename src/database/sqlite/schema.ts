import { DatabaseSync } from 'node:sqlite'
import { schemaFilesAfter } from '../migrate.ts'
import { type CatalogueObject, differencesOf, type SchemaDifference } from '../tables/schema-difference.ts'

export const schemaDifferences = (db: DatabaseSync): SchemaDifference[] =>
  differencesOf(expectedSchema(), readCatalogue(db))

function expectedSchema(): CatalogueObject[] {
  using fresh = new DatabaseSync(':memory:')
  for (const sql of schemaFilesAfter(0, 'sqlite')) fresh.exec(sql)
  return readCatalogue(fresh)
}

export function readCatalogue(db: DatabaseSync): CatalogueObject[] {
  const rows = db.prepare(`SELECT type AS kind, tbl_name AS "table", name, sql AS definition FROM main.sqlite_schema
                           WHERE sql IS NOT NULL ORDER BY type, tbl_name, name`)
  return (rows.all() as unknown as CatalogueObject[]).flatMap((object) => {
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
    .replaceAll(/'[^']*'|"[^"]*"|--.*/g, (part) => (part.startsWith('--') ? '' : part))
    .replaceAll('"', '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([(),]) ?/g, '$1')
