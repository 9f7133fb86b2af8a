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

/** A longer statement, from the folder `sql`. */
export const sqlFile = (name: string): string => readFileSync(new URL(`./sql/${name}.sql`, import.meta.url), 'utf8')
