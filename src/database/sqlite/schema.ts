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
  return (rows.all() as unknown as CatalogueObject[]).map((object) =>
    object.kind === 'table' ? { ...object, definition: normalised(object.definition) } : object,
  )
}

/** SQLite keeps the text of a statement, but quotes renamed objects. */
const normalised = (sql: string): string =>
  sql
    .replaceAll(/'[^']*'|"[^"]*"|--.*/g, (part) => (part.startsWith('--') ? '' : part))
    .replaceAll('"', '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([(),]) ?/g, '$1')
