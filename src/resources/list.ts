import type { List } from '../database/keyset.ts'
import * as postgres from '../database/postgres/list.ts'
import * as postgresQuestions from '../database/postgres/list-questions.ts'
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
import * as sqlite from '../database/sqlite/list.ts'
import * as sqliteQuestions from '../database/sqlite/list-questions.ts'
import * as askSqlite from '../database/sqlite/questions.ts'
import { type Column, type Columns, columnsOf, isText, publishedColumns, type Table } from '../database/table.ts'
import { DECIMAL_PATTERN } from '../lib/decimal.ts'
import { toInstant } from '../lib/instant.ts'
import { boolean, type Field, type Fields, integer, type Optional, optional, string } from '../lib/schema.ts'

export interface ListShape {
  /** The member of the response that holds the rows. */
  member: string
  /** In the order of the response. */
  fields: readonly string[]
  /** Included even if other fields are asked for: the id, and the field that describes a row best. */
  always: readonly string[]
  /** In characters, where that is bounded. */
  maxLengths: Readonly<Record<string, number>>
  /** The most rows in a response. */
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

type Filters = Record<string, Optional<Field<string | number | boolean>>>

/** Derives a plain list's table, indexes, page queries and tool filters from its columns. */
export function defineList<C extends Columns>(
  table: Pick<Table<C>, 'name' | 'singular' | 'version' | 'columns'>,
  options: { [Name in 'order' | 'filters']: readonly (keyof C & string)[] } & Pick<ListShape, 'limit'> & {
      /** The field that describes a row best. */
      label?: keyof C & string
      /** Defaults to the table's name. */
      member?: string
      /** Fields that the filter `query` looks for words in. */
      search?: readonly (keyof C & string)[]
      countBy?: readonly (keyof C & string)[]
    },
): {
  table: Table<C>
  list: ListShape
  filters: Filters
  pages: PageQueries & Questions & { narrowedBy: Filters }
} {
  const { member = table.name, search, countBy, ...listing } = options
  const list = { table, ...options }
  const filters = filtersOf(list, member)
  const indexes = { sqlite: sqlite.listIndexes(list), postgres: postgres.listIndexes(list) }
  const asked = { sqlite: sqliteQuestions.questionedList(list), postgres: postgresQuestions.questionedList(list) }
  const dispatched =
    (page: Read<PageRequest, PageReading>, question: Read<PageRequest, PageReading>): Read<PageRequest, PageReading> =>
    (viewpoint, request) =>
      isQuestion(list.filters, request) ? question(viewpoint, request) : page(viewpoint, request)
  return {
    table: { ...table, listing, ...indexes, ...(search && { search: { fields: search } }) },
    list: listShape({ ...table, listing }, member),
    filters,
    pages: {
      sqlite: (engine) => dispatched(sqlite.listReader(list, engine), askSqlite.questionReader(asked.sqlite, engine)),
      postgres: (engine) =>
        dispatched(postgres.listReader(list, engine), askPostgres.questionReader(asked.postgres, engine)),
      narrowedBy: filters,
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

/** Arguments that the versions of MCP define themselves. */
const TAKEN = ['limit', 'cursor', 'fields', 'ifNoneMatch']

function filtersOf({ table, filters }: List, member: string): Filters {
  const taken = filters.find((field) => TAKEN.includes(field))
  if (taken !== undefined) throw new Error(`${table.name}: a list has an argument '${taken}' already`)
  const columns = columnsOf(table).filter(({ field }) => filters.includes(field))
  return Object.fromEntries(columns.map((column) => [column.field, optional(argumentOf(member, column))]))
}

function argumentOf(member: string, { field, kind, minimum, maximum, choices }: Column & { field: string }) {
  const description = `Only ${member} with this ${field}.`
  switch (kind) {
    case 'integer':
      return integer({
        ...(minimum !== undefined && { minimum }),
        ...(maximum !== undefined && { maximum }),
        description,
      })
    case 'instant':
      return string({ format: 'date-time', description: `Only ${member} with this ${field}, in RFC 3339.` })
    case 'choice':
      return string({ ...(choices !== undefined && { enum: choices }), description })
    case 'date':
      return string({ format: 'date', description })
    case 'decimal':
    case 'money':
      return string({ pattern: DECIMAL_PATTERN, description })
    case 'boolean':
      return boolean({ description })
    case 'text':
    case 'email':
    case 'url':
      return string({ description })
    case 'mark':
    case 'texts':
      throw new Error(`${member}: ${field} is of the kind ${kind}, and no list can be narrowed by it`)
  }
}
