import type { PublicReads, QueryableList } from '../database/lists/reader.ts'
import { publishedColumns, type Table } from '../database/table.ts'
import { checkTable } from '../database/tables/check-table.ts'
import { jsonField } from '../database/tables/json-field.ts'
import { defined } from '../lib/defined.ts'
import { type Field, type Fields, nullable } from '../lib/schema.ts'
import type { Column, Columns } from '../lists/column.ts'
import type { ReadScope, ResourceBody } from '../lists/query.ts'
import type { Definition as DeclaredDefinition } from './declared/definition.ts'
import type { ToolArguments } from './list-arguments.ts'

/** To add a resource, write one of these and list it in index.ts. Routes, tools and permissions follow from it. */
export interface Resource {
  /** Unique. It also names the OpenAPI operation. */
  name: string
  path: `/${string}`
  permission: `${string}:read`
  summary: string
  description: string
  body: Field
  schemas: Record<string, Field>
  example: object
  tool: { name: string; title: string; description: string } & ToolArguments
  /** Created by `migrate`, filled by `vitrine <singular> import`, and copied by `copy`. */
  table?: Table
  /** Lists can also be read page by page. In an archived or deleted workspace they are empty; other resources are not found. */
  list?: QueryableList
  /** For a list, reads the first `limit` rows. Undefined if the workspace was deleted after the request was admitted. */
  read(store: PublicReads, scope: ReadScope): Promise<ResourceBody | undefined>
  declared?: DeclaredDefinition
}

export type ListResource = Resource & { list: QueryableList }

export const isList = (resource: Resource): resource is ListResource => resource.list !== undefined

export function defineResource(
  definition: Omit<ListResource, 'table' | 'read'> | Omit<Resource, 'table' | 'list'>,
): Resource {
  if (!('list' in definition)) return definition
  const { list } = definition
  const { table } = list
  checkTable(table)
  return { ...definition, table, read: (store, scope) => store.reader(list).firstRows(scope) }
}

/** The fields of a row that are in every result: the id, and the field that describes it best. */
export const alwaysIncluded = ({ listing: { label } }: Table): string[] =>
  label === undefined ? ['id'] : ['id', label]

/** Lengths are published where they stay: those of declared fields may be raised. */
export const publishedFields = (columns: Columns, options: { withLengths?: boolean } = {}): Fields =>
  Object.fromEntries(publishedColumns({ columns }).map((column) => [column.field, publishedField(column, options)]))

function publishedField(column: Column, { withLengths = false }: { withLengths?: boolean }): Field {
  const currency = column.kind === 'money' ? ' In the currency of the workspace.' : ''
  const length = withLengths ? defined({ maxLength: column.maxLength }) : {}
  const field = { ...jsonField(column), ...length, description: column.description + currency }
  return column.isNullable ? nullable(field) : field
}

export const permissionsOf = (all: readonly Resource[]): string[] =>
  publishedOf(all).map(({ permission }) => permission)

/** A new key has these unless others are chosen: declared resources are only readable with keys that were granted them. */
export const defaultPermissions = (all: readonly Resource[]): string[] => permissionsOf(builtInOf(all))

export const builtInOf = (all: readonly Resource[]): Resource[] => all.filter(({ declared }) => declared === undefined)

/** Drafts have a table and commands, but clients cannot see them. */
export const publishedOf = (all: readonly Resource[]): Resource[] =>
  all.filter(({ declared }) => declared?.state !== 'draft')

export const operationIdOf = ({ name }: Pick<Resource, 'name'>): string =>
  `read${name.charAt(0).toUpperCase()}${name.slice(1)}`

/** The most useful example is the first list that may be read: the workspace itself is a poor one. */
export function examplePathOf(all: readonly Resource[], permissions: readonly string[] = permissionsOf(all)): string {
  const readable = all.filter(({ permission }) => permissions.includes(permission))
  return (readable.find(({ list }) => list !== undefined) ?? readable.at(-1))?.path ?? '/'
}
