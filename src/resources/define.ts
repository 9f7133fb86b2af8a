import type { PublicReads, Transaction } from '../database/store.ts'
import type { Declaration } from '../database/tables/declared-lists.ts'
import { defined } from '../lib/defined.ts'
import { type Field, type Fields, nullable } from '../lib/schema.ts'
import type { Columns } from '../lists/column.ts'
import { fieldsOf, type List, type ListField, publishedFields } from '../lists/definition.ts'
import type { TableList } from '../lists/in-place/table-list.ts'
import { jsonField } from '../lists/json-field.ts'
import type { ReadScope, ResourceBody } from '../lists/query.ts'
import { ListReader } from '../lists/reader.ts'
import { reshape } from '../lists/stored/reshape.ts'
import { readerOf } from '../lists/stored/rows.ts'
import { servedWorkspace } from '../workspaces/records.ts'
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
  /**
   * Lists are filled by `vitrine <singular> import`, and can also be read page by page. In an archived or deleted workspace they are
   * empty; other resources are not found.
   */
  list?: List
  /** For a list, reads its first rows, pages and counts. */
  reader?(store: PublicReads): ListReader
  /** The list is read in place, so nothing of it is cached or written. */
  inPlace?: TableList
  /** For a list, reads the first `limit` rows. Undefined if the workspace was deleted after the request was admitted. */
  read(store: PublicReads, scope: ReadScope): Promise<ResourceBody | undefined>
  /** These three are set if an operator declares the list. */
  declared?: DeclaredDefinition
  /** The program's own lists that are off because this declared one has one of their names. */
  replaces?: readonly string[]
  declaration?: Declaration
  /** For a list, stores the rows of a workspace for its definition. */
  reshape?(tx: Transaction, workspaceId: string): Promise<void>
}

export type ListResource = Resource & Required<Pick<Resource, 'list' | 'reader'>>

export const isList = (resource: Resource): resource is ListResource => resource.reader !== undefined

type ListDefinition = Omit<ListResource, 'read' | 'reader' | 'reshape'>

export function defineResource(definition: ListDefinition | Omit<Resource, 'list'>): Resource {
  if (!('list' in definition)) return definition
  const { list, inPlace } = definition
  const reader = (store: PublicReads) =>
    inPlace === undefined
      ? readerOf(store, list)
      : new ListReader(
          list,
          inPlace.source(async (scope) => (await servedWorkspace(store, scope))?.slug),
        )
  return {
    ...definition,
    reader,
    read: (store, scope) => reader(store).firstRows(scope),
    reshape: (tx, workspaceId) => reshape(tx, list, workspaceId),
  }
}

/** The fields of a row that are in every result: the id, and the field that describes it best. */
export const alwaysIncluded = ({ label }: List): string[] => (label === undefined ? ['id'] : ['id', label])

/** The schema of a row in a response. Lengths are published where they stay: those of declared fields may be raised. */
export const rowFields = (columns: Columns, options: { withLengths?: boolean } = {}): Fields =>
  Object.fromEntries(publishedFields(fieldsOf(columns)).map((field) => [field.name, rowField(field, options)]))

function rowField(field: ListField, { withLengths = false }: { withLengths?: boolean }): Field {
  const currency = field.kind === 'money' ? ' In the currency of the workspace.' : ''
  const length = withLengths ? defined({ maxLength: field.maxLength }) : {}
  const schema = { ...jsonField(field), ...length, description: field.description + currency }
  return field.isNullable ? nullable(schema) : schema
}

export const permissionsOf = (all: readonly Resource[]): string[] =>
  publishedOf(all).map(({ permission }) => permission)

/** A new key has these unless others are chosen: declared resources are only readable with keys that were granted them. */
export const defaultPermissions = (all: readonly Resource[]): string[] => permissionsOf(builtInOf(all))

export const builtInOf = (all: readonly Resource[]): Resource[] => all.filter(({ declared }) => declared === undefined)

/** Drafts have rows and commands, but clients cannot see them. */
export const publishedOf = (all: readonly Resource[]): Resource[] =>
  all.filter(({ declared }) => declared?.state !== 'draft')

export const operationIdOf = ({ name }: Pick<Resource, 'name'>): string =>
  `read${name.charAt(0).toUpperCase()}${name.slice(1)}`

/** The most useful example is the first list that may be read: the workspace itself is a poor one. */
export function examplePathOf(all: readonly Resource[], permissions: readonly string[] = permissionsOf(all)): string {
  const readable = all.filter(({ permission }) => permissions.includes(permission))
  return (readable.find(({ list }) => list !== undefined) ?? readable.at(-1))?.path ?? '/'
}
