import type { List } from '../database/keyset.ts'
import { questionedList } from '../database/narrowing.ts'
import { listIndexes as postgresIndexes } from '../database/postgres/list.ts'
import type {
  CountReading,
  CountRequest,
  Filters,
  PageReading,
  PageRequest,
  Queries,
  QuestionedList,
  Read,
  ReadingQueries,
  SuggestRequest,
  Viewpoint,
} from '../database/queries.ts'
import { listIndexes as sqliteIndexes } from '../database/sqlite/list.ts'
import { type Columns, isText, publishedColumns, type Table } from '../database/table.ts'
import { toInstant } from '../lib/instant.ts'
import type { Fields } from '../lib/schema.ts'
import { type Current, currentParts } from './current.ts'
import { argumentsOf, countable, type ToolArguments } from './list-arguments.ts'

export interface ListShape {
  member: string
  /** In the order of the response. */
  fields: readonly string[]
  /** Included even if other fields are requested: the id, and the field that describes a row best. */
  always: readonly string[]
  /** In characters, if bounded. */
  maxLengths: Readonly<Record<string, number>>
  limit: number
}

export function listShape(
  table: Pick<Table, 'name' | 'columns'>,
  { limit, label }: { limit: number; label?: string },
): ListShape {
  const columns = publishedColumns(table)
  const maxLengths: Record<string, number> = {}
  for (const column of columns)
    if (isText(column) && column.maxLength !== undefined) maxLengths[column.field] = column.maxLength
  const fields = columns.map(({ field }) => field)
  return { member: table.name, fields, maxLengths, always: label === undefined ? ['id'] : ['id', label], limit }
}

/** How a list can be queried. */
export interface Questions {
  shape: QuestionedList
  /** The body of REST and of MCP 2025-03-26: the first rows, and nothing about others. */
  whole: Queries<object>
  pages: Queries<PageRequest, PageReading>
  counts: Queries<CountRequest, CountReading>
  suggestions: Queries<SuggestRequest, readonly string[]>
}

type ReadPage = (store: ReadingQueries, viewpoint: Viewpoint, page: PageRequest) => Promise<PageReading | undefined>

/** Normalises filters, the order of fields and the limit. */
export function pageReader(list: ListShape, filters: Fields, pages: Questions['pages']): ReadPage {
  const instants = Object.keys(filters).filter((name) => filters[name]?.format === 'date-time')
  return (store, viewpoint, page) => {
    const asked = { ...page.filters }
    for (const name of instants) {
      const instant = asked[name] === undefined ? undefined : toInstant(String(asked[name]))
      if (instant !== undefined) asked[name] = instant
    }
    const { fields, ...others } = page
    const limit = Math.max(1, Math.min(page.limit, list.limit))
    return store.reader(pages)(viewpoint, { ...others, filters: asked, limit, ...chosenFields(list, fields) })
  }
}

/** Undefined if all fields are requested, which is the fastest read. */
function chosenFields(
  { fields, always }: ListShape,
  asked: readonly string[] | undefined,
): Pick<PageRequest, 'fields'> {
  const chosen = fields.filter((field) => asked === undefined || asked.includes(field) || always.includes(field))
  return chosen.length === fields.length ? {} : { fields: chosen }
}

export interface DefinedList {
  table: Table
  shape: ListShape
  pages: Questions
  arguments: ToolArguments
}

/** Derives a plain list's table, indexes, page queries and tool filters from its columns. */
export function defineList<C extends Columns>(
  table: Pick<Table<C>, 'name' | 'singular' | 'version' | 'columns' | 'declaration'>,
  options: { [Name in 'order' | 'filters']: readonly (keyof C & string)[] } & Pick<ListShape, 'limit'> & {
      label?: keyof C & string
      /** Fields that the filter `query` searches. */
      search?: readonly (keyof C & string)[]
      /** Without it, all rows. */
      current?: Current
    },
): DefinedList {
  const { search, current = {}, filters, ...listing } = options
  const { only, onlyBy, expiry, columns, rows } = currentParts(table, current)
  const whole = { ...table, columns }
  const list: List = {
    ...{ table: whole, filters, search: search ?? [], countBy: countable(table), only, onlyBy, ...listing },
    ...(expiry && { expiry }),
  }
  const isCurrent = Object.keys(current).length > 0 && { current: rows }
  const shape = listShape(whole, listing)
  return {
    table: {
      ...whole,
      listing: { ...listing, ...isCurrent },
      // Only one engine is in use.
      get sqlite() {
        return sqliteIndexes(list)
      },
      get postgres() {
        return postgresIndexes(list)
      },
      ...(search && { search: { fields: search } }),
    },
    shape,
    arguments: argumentsOf(list, table.singular, current),
    pages: listQueries(shape, questionedList(list)),
  }
}

/** Filters other than those of plain pages are `adapted`. */
export function listQueries(
  { member, limit }: ListShape,
  list: QuestionedList,
  adapted: (filters: Filters) => Filters = (filters) => filters,
): Questions {
  const asked =
    <Request extends { filters: Filters }, Result>(read: Read<Request, Result>): Read<Request, Result> =>
    (viewpoint, request) =>
      read(viewpoint, { ...request, filters: adapted(request.filters) })
  const whole = { limit, before: `{"${member}":[`, after: ']}' }
  return {
    shape: list,
    whole: (reads) => reads.whole(list, whole),
    pages: (reads) => asked(reads.pages(list)),
    counts: (reads) => asked(reads.counts(list)),
    suggestions: (reads) => reads.suggestions(list),
  }
}
