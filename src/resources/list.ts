import type { List } from '../database/keyset.ts'
import { servedFilters } from '../database/narrowing.ts'
import * as postgresQuestions from '../database/postgres/list-questions.ts'
import * as postgres from '../database/postgres/page.ts'
import * as askPostgres from '../database/postgres/questions.ts'
import type {
  CountReading,
  CountRequest,
  PageQueries,
  PageReading,
  PageRequest,
  Queries,
  Read,
  Reading,
  ReadingQueries,
  SuggestRequest,
  Viewpoint,
} from '../database/queries.ts'
import { isQuestion, type QuestionShape, questionsOf } from '../database/questions.ts'
import * as sqlite from '../database/sqlite/list-pages.ts'
import * as askSqlite from '../database/sqlite/questions.ts'
import { type Columns, isText, publishedColumns, type Table } from '../database/table.ts'
import { toInstant } from '../lib/instant.ts'
import type { Fields } from '../lib/schema.ts'
import { type Current, currentParts } from './current.ts'
import { argumentsOf, countable, filtersOf, type ListArguments, type ListFilters } from './list-arguments.ts'

export interface ListShape {
  member: string
  /** In the order of the response. */
  fields: readonly string[]
  /** Included even if other fields are asked for: the id, and the field that describes a row best. */
  always: readonly string[]
  /** In characters, where that is bounded. */
  maxLengths: Readonly<Record<string, number>>
  limit: number
}

export function listShape(table: Pick<Table, 'name' | 'columns' | 'listing'>, member = table.name): ListShape {
  const { listing } = table
  if (listing === undefined) throw new Error(`${table.name}: a table without a listing is no list`)
  const { limit, label } = listing
  const columns = publishedColumns(table)
  const maxLengths: Record<string, number> = {}
  for (const column of columns)
    if (isText(column) && column.maxLength !== undefined) maxLengths[column.field] = column.maxLength
  const fields = columns.map(({ field }) => field)
  return { member, fields, maxLengths, always: label === undefined ? ['id'] : ['id', label], limit }
}

/** What a list can be asked besides its pages. */
export interface Questions {
  shape: QuestionShape
  counts: Queries<CountRequest, CountReading>
  suggestions: Queries<SuggestRequest, readonly string[]>
}

type ReadPage = (store: ReadingQueries, viewpoint: Viewpoint, page: PageRequest) => Promise<PageReading | undefined>

/** Normalises filters, the order of fields and the limit. */
export function pageReader(list: ListShape, filters: Fields, pages: PageQueries): ReadPage {
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

/** Undefined if all fields are asked for, which are read fastest. */
function chosenFields(
  { fields, always }: ListShape,
  asked: readonly string[] | undefined,
): Pick<PageRequest, 'fields'> {
  const chosen = fields.filter((field) => asked === undefined || asked.includes(field) || always.includes(field))
  return chosen.length === fields.length ? {} : { fields: chosen }
}

/** The body of REST and of MCP 2025-03-26: the first page, and nothing about others. */
export function readWhole({ member, limit: most }: ListShape, readPage: ReadPage) {
  const around = [`{"${member}":[`, ']}'] as const
  return async (
    store: ReadingQueries,
    viewpoint: Viewpoint,
    args: Readonly<Record<string, unknown>>,
  ): Promise<Reading | undefined> => {
    const { limit = most, ...filters } = args as PageRequest['filters']
    const page = await readPage(store, viewpoint, { filters, limit: Number(limit), findNext: false, around })
    return page && { body: page.rows, until: page.until }
  }
}

/** Derives a plain list's table, indexes, page queries and tool filters from its columns. */
export function defineList<C extends Columns>(
  table: Pick<Table<C>, 'name' | 'singular' | 'version' | 'columns'>,
  options: { [Name in 'order' | 'filters']: readonly (keyof C & string)[] } & Pick<ListShape, 'limit'> & {
      label?: keyof C & string
      member?: string
      /** Fields that the filter `query` looks for words in. */
      search?: readonly (keyof C & string)[]
      /** Defaults to the fields that many rows may share. */
      countBy?: readonly (keyof C & string)[]
      /** Without it, all rows. */
      current?: Current
    },
): {
  table: Table
  list: ListShape
  filters: ListFilters
  pages: PageQueries & Questions & { narrowedBy: ListFilters; arguments: ListArguments }
} {
  const { member = table.name, search, countBy = countable(table), current = {}, filters, ...listing } = options
  const { only, onlyBy, expiry, columns, rows } = currentParts(table, current)
  const whole = { ...table, columns }
  const list: List = {
    ...{ table: whole, filters, search: search ?? [], countBy, only, onlyBy, ...listing },
    ...(expiry && { expiry }),
  }
  const narrowedBy = filtersOf(list, table.singular, current)
  const isCurrent = Object.keys(current).length > 0 && { current: rows }
  const shape = listShape({ ...whole, listing }, member)
  const asked = { sqlite: sqlite.questionedList(list), postgres: postgresQuestions.questionedList(list) }
  const dispatched =
    (page: Read<PageRequest, PageReading>, question: Read<PageRequest, PageReading>): Read<PageRequest, PageReading> =>
    (viewpoint, request) =>
      isQuestion(servedFilters(list, request.filters), request)
        ? question(viewpoint, request)
        : page(viewpoint, request)
  return {
    table: {
      ...whole,
      listing: { ...listing, ...isCurrent },
      sqlite: sqlite.listIndexes(list),
      postgres: postgresQuestions.listIndexes(list),
      ...(search && { search: { fields: search } }),
    },
    list: shape,
    filters: narrowedBy,
    pages: {
      sqlite: (engine) => dispatched(sqlite.listReader(list, engine), askSqlite.questionReader(asked.sqlite, engine)),
      postgres: (engine) =>
        dispatched(
          postgres.pageReader({ ...asked.postgres, limit: list.limit }, engine),
          askPostgres.questionReader(asked.postgres, engine),
        ),
      narrowedBy,
      arguments: argumentsOf(list),
      shape: questionsOf(list),
      counts: {
        sqlite: (engine) => askSqlite.countReader(asked.sqlite, engine),
        postgres: (engine) => askPostgres.countReader(asked.postgres, engine),
      },
      suggestions: {
        sqlite: (engine) => askSqlite.suggestReader(asked.sqlite, engine),
        postgres: (engine) => askPostgres.suggestReader(asked.postgres, engine),
      },
    },
  }
}
