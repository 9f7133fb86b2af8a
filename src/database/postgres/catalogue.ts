import { readFileSync } from 'node:fs'
import type { QueryResult } from 'pg'
import { type CatalogueObject, differencesOf, type SchemaDifference } from '../tables/schema-difference.ts'

export interface Connection {
  query(text: string, values?: unknown[]): Promise<QueryResult>
}

export const schemaDifferences = async (connection: Connection): Promise<SchemaDifference[]> =>
  differencesOf(readExpected().objects, await readCatalogue(connection))

export interface ExpectedSchema {
  objects: CatalogueObject[]
  /** What docs/sql grants the server's role for the settings page. */
  settings: Privilege[]
}

/** The column is given if the privilege is limited to it. */
export type Privilege = [what: string, table: string, column?: string]

/** SQL that is true if the current role has the privilege. */
export const hasPrivilege = ([what, table, column]: Privilege): string =>
  what === 'EXECUTE'
    ? `has_function_privilege(to_regproc('vitrine.${table}'), 'EXECUTE')`
    : column === undefined
      ? `has_table_privilege('vitrine.${table}', '${what}')`
      : `has_column_privilege('vitrine.${table}', '${column}', '${what}')`

export const readExpected = (): ExpectedSchema =>
  JSON.parse(readFileSync(new URL('../../../contract/schema.postgres.json', import.meta.url), 'utf8'))

/** Functions are in the order of creation, in which they can be created again. */
export const readCatalogue = async (connection: Connection): Promise<CatalogueObject[]> =>
  (await connection.query(readFileSync(new URL('./sql/catalogue.sql', import.meta.url), 'utf8'))).rows
