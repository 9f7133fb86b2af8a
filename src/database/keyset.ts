import type { PageRequest, Position } from './queries.ts'
import { type Columns, columnOf, type Kind, quotedColumn } from './table.ts'

/**
 * Paging by keyset: the rows after a position are a few ranges of the index that holds the order, one behind the other. In
 * the order (author, title, seq), nulls last, what follows ('Eça', 'Os Maias', 7) is
 *   author = 'Eça' and title = 'Os Maias' and seq > 7, then author = 'Eça' and title > 'Os Maias', then
 *   author > 'Eça', then author is null.
 * So a page costs the same wherever it is, and a row that did not change keeps its place among the others.
 */

/** A column of an order. The last one is always `seq`, in which no two rows are the same. */
export interface OrderColumn {
  /** Quoted. */
  name: string
  kind: Kind
  isNullable: boolean
}

/** What a range says of the first columns of an order: the same as the position's, greater, or null. */
export type Range = readonly Comparison[]
export type Comparison = 'equal' | 'greater' | 'null'

const SEQ: OrderColumn = { name: 'seq', kind: 'integer', isNullable: false }

export const orderColumns = ({ columns }: { columns: Columns }, order: readonly string[]): OrderColumn[] => [
  ...order.map((field) => ({
    name: quotedColumn(field),
    kind: columns[field]?.kind ?? 'text',
    isNullable: columns[field]?.isNullable ?? true,
  })),
  SEQ,
]

const EVERYTHING: readonly Range[] = [[]]

/** In the order of the list. They depend on which values of the position are null, and on nothing else of it. */
export function rangesAfter(order: readonly OrderColumn[], after: Position | undefined): readonly Range[] {
  if (after === undefined) return EVERYTHING
  checkPosition(order, after)
  const same = after.map((value): Comparison => (value === null ? 'null' : 'equal'))
  return order.flatMap((column, i) => rangesAt(column, same.slice(0, i), after[i] === null)).reverse()
}

/** Backwards. Nothing comes after null. */
function rangesAt({ isNullable }: OrderColumn, same: Comparison[], isNull: boolean): Range[] {
  if (isNull) return []
  const greater: Range = [...same, 'greater']
  return isNullable ? [[...same, 'null'], greater] : [greater]
}

/** The values of the position that a range compares with, each with the number of its column. */
export const comparedIn = (range: Range, after: Position): { at: number; value: string }[] =>
  range.flatMap((comparison, at) => (comparison === 'null' ? [] : { at, value: String(after[at]) }))

/** A position comes back from a client, who may have made it up: the database is asked for none that could not be one. */
export class InvalidPositionError extends Error {}

function checkPosition(order: readonly OrderColumn[], after: Position): void {
  const isOne =
    after.length === order.length &&
    order.every(({ kind, isNullable }, i) => {
      const value = after[i]
      if (value === null || value === undefined) return isNullable && value === null
      return kind === 'integer' ? isInteger(String(value)) : !String(value).includes('\0')
    })
  if (!isOne) throw new InvalidPositionError('this is no position of the list')
}

/** Of 64 bits, as both databases store them. */
const isInteger = (text: string) => /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)

/** A plain list of a resource's rows, by fields of its table. */
export interface List {
  table: { name: string; columns: Columns }
  /** By these fields, what is null last, then in the order of creation. */
  order: readonly string[]
  /** Fields that an argument of the same name narrows the list by. */
  filters: readonly string[]
  /** The most that are answered at once. */
  limit: number
}

/** Those that have a value. */
export const filtersIn = ({ filters }: List, page: PageRequest): { field: string; value: string | number }[] =>
  filters.flatMap((field) => {
    const value = page.filters[field]
    return value === undefined ? [] : { field, value }
  })

/** A column that the list is narrowed by is the same in all rows, and no part of their order. */
export const orderOf = ({ table, order }: List, filters: readonly { field: string }[] = []): OrderColumn[] =>
  orderColumns(
    table,
    order.filter((name) => !filters.some(({ field }) => field === name)),
  )

/** Once in order, and once behind each filter. */
export const indexesOf = (list: List): { name: string; filter: string[]; order: OrderColumn[] }[] => [
  { name: `${list.table.name}_in_order`, filter: [], order: orderOf(list) },
  ...list.filters.map((field) => ({
    name: `${list.table.name}_by_${columnOf(field)}`,
    filter: [quotedColumn(field)],
    order: orderOf(list, [{ field }]),
  })),
]
