import type { Kind } from '../../lists/column.ts'
import type { Filters, ListReader, ReadScope } from '../../lists/query.ts'
import type { HasTable, Table } from '../table.ts'
import type { ListDialect } from './dialect.ts'
import type { OrderColumn, Range } from './keyset.ts'

/** Binds a value and returns its placeholder. */
export type Bind = (value: string | number | boolean, kind: Kind) => string

export interface FilteredList {
  order: readonly OrderColumn[]
  /** Finds the rows in order. */
  index: string
  conditions: readonly string[]
  /** Conditions on the order's columns, such as bounds: for each range after a position. */
  inRange(range: Range, position: readonly string[]): string[]
  /** The only range with matching rows, if the conditions imply one. */
  within?: Range
  /** Conditions that are checked row by row. One with an index can name candidates. */
  checks: readonly { field: string; sql: string; index?: string }[]
  contains: readonly WordFilter[]
}

/** Each word must occur in at least one of the fields. */
export interface WordFilter {
  fields: readonly string[]
  words: readonly string[]
}

export interface QueryableList {
  table: Table
  /** For each filter, the fields that it searches. */
  contains: Readonly<Record<string, readonly string[]>>
  /** By name: a row is counted under the first of these fields that has a value, an instant under its local date. */
  countBy: Readonly<Record<string, readonly string[]>>
  /** For each filter, the fields whose values are suggested if it matches nothing. */
  suggests: Readonly<Record<string, readonly string[]>>
  due?: string
  compileFilters(filters: Filters, dialect: ListDialect, bind: Bind): FilteredList
  /** For a filter in `suggests`: SQL for the indexed column, and for the parameter, normalised like that column. */
  suggestionSql(
    filter: string,
    dialect: ListDialect,
    parameter: string,
  ): { column: string; value: string; index: string; where?: readonly string[] }
}

export interface PublicReads {
  reader(list: QueryableList): ListReader
  /** In the statement, `?` stands for a value. */
  rows<Row>(name: string, sql: string, ...values: (string | number)[]): Promise<Row[]>
}

export interface StoredResource extends HasTable {
  /** All of it, as a request without arguments reads it. */
  read(store: PublicReads, scope: ReadScope): Promise<unknown>
}

/** /readyz looks up this hash. No key has it, so nothing is counted or cached. */
export const NO_KEY_HASH = 'readiness'
