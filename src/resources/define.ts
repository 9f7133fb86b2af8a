import { checkTable } from '../database/check-table.ts'
import { jsonField } from '../database/json-field.ts'
import type {
  CountReading,
  CountRequest,
  PageReading,
  PageRequest,
  Reading,
  ReadingQueries,
  Viewpoint,
} from '../database/queries.ts'
import { type Column, type Columns, publishedColumns, type Table } from '../database/table.ts'
import { type Field, type Fields, nullable } from '../lib/schema.ts'
import type { Definition as DeclaredDefinition } from './declared/definition.ts'
import { type DefinedList, type ListShape, pageReader } from './list.ts'
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
  /** The response for an archived or deleted workspace. Without it, REST responds with 404 and tools with an error. */
  whenUnavailable?: object
  /** Created by `migrate`, filled by `vitrine <singular> import`, and copied by `copy`. */
  table?: Table
  /** Lists can also be read page by page. */
  list?: ListShape
  /** For a list, reads the first `limit` rows. Undefined if the workspace was deleted after the request was admitted. */
  read(store: ReadingQueries, viewpoint: Viewpoint): Promise<Reading | undefined>
  /** Only for lists. Throws InvalidPositionError for an invalid `after`. */
  readPage?(store: ReadingQueries, viewpoint: Viewpoint, page: PageRequest): Promise<PageReading | undefined>
  readCounts?(store: ReadingQueries, viewpoint: Viewpoint, request: CountRequest): Promise<CountReading | undefined>
  /** Up to ten existing values nearest to one that matched nothing. */
  suggest?(store: ReadingQueries, viewpoint: Viewpoint, filter: string, value: string): Promise<readonly string[]>
  /** Fields that the filter `query` searches; without them there is no such filter. */
  search?: readonly string[]
  countBy?: readonly string[]
  suggests?: readonly string[]
  declared?: DeclaredDefinition
}

type OfLists = 'table' | 'list' | 'readPage' | 'readCounts' | 'suggest' | 'search' | 'countBy' | 'suggests'

interface ListDefinition extends Omit<Resource, OfLists | 'read' | 'tool'> {
  tool: Omit<Resource['tool'], keyof ToolArguments>
  list: DefinedList
}

export function defineResource(definition: ListDefinition | Omit<Resource, OfLists>): Resource {
  if (!('list' in definition)) return definition
  const { list, tool, ...resource } = definition
  const { table, shape, pages } = list
  checkTable(table)
  return {
    ...resource,
    table,
    list: shape,
    tool: { ...tool, ...list.arguments },
    read: (store, viewpoint) => store.reader(pages.whole)(viewpoint, {}),
    readPage: pageReader(shape, list.arguments.filters, pages.pages),
    readCounts: (store, viewpoint, request) => store.reader(pages.counts)(viewpoint, request),
    suggest: async (store, viewpoint, filter, value) =>
      (await store.reader(pages.suggestions)(viewpoint, { filter, value })) ?? [],
    search: pages.shape.contains.query ?? [],
    countBy: Object.keys(pages.shape.countBy),
    suggests: Object.keys(pages.shape.suggests),
  }
}

export const publishedFields = (columns: Columns): Fields =>
  Object.fromEntries(publishedColumns({ columns }).map((column) => [column.field, publishedField(column)]))

function publishedField(column: Column): Field {
  const currency = column.kind === 'money' ? ' In the currency of the workspace.' : ''
  const field = { ...jsonField(column), description: column.description + currency }
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
