import { isDecimal } from '../../lib/decimal.ts'
import { isDate, toInstant } from '../../lib/instant.ts'
import type { Columns, Kind } from '../../lists/column.ts'
import { InvalidPositionError, type Position } from '../../lists/query.ts'
import { columnOf, type ListIndex, quoted, type SchemaObject, type Table } from '../table.ts'
import type { ListDialect } from './dialect.ts'

/**
 * Keyset paging: the rows after a position are a few consecutive ranges of the index with the list's order. In the order
 * (author, title, seq), nulls last, the rows after ('Eça', 'Os Maias', 7) are
 *   author = 'Eça' and title = 'Os Maias' and seq > 7, then author = 'Eça' and title > 'Os Maias', then
 *   author > 'Eça', then author is null.
 * A page therefore costs the same wherever it is, and a row that did not change keeps its place among the others.
 */

/** The last column of an order is always `seq`, which is unique. */
export interface OrderColumn {
  /** Quoted. */
  name: string
  kind: Kind
  isNullable: boolean
}

/** How a range restricts the order's first columns: equal to the position's, greater, or null. */
export type Range = readonly Comparison[]
export type Comparison = 'equal' | 'greater' | 'null'

const SEQ: OrderColumn = { name: 'seq', kind: 'integer', isNullable: false }

export const orderColumns = (columns: Columns, order: readonly string[], sqlName = quoted): OrderColumn[] => [
  ...order.map((field) => {
    const { kind = 'text', isNullable = true } = columns[field] ?? {}
    return { name: sqlName(columnOf(field)), kind, isNullable }
  }),
  SEQ,
]

const EVERYTHING: readonly Range[] = [[]]

/** In the order of the list. They depend only on which values of the position are null. */
export function rangesAfter(order: readonly OrderColumn[], after: Position | undefined): readonly Range[] {
  if (after === undefined) return EVERYTHING
  checkPosition(order, after)
  const same = after.map((value): Comparison => (value === null ? 'null' : 'equal'))
  return order.flatMap((column, i) => rangesAt(column, same.slice(0, i), after[i] === null)).reverse()
}

/** In reverse order. Null sorts last, so nothing follows it. */
function rangesAt({ isNullable }: OrderColumn, same: Comparison[], isNull: boolean): Range[] {
  if (isNull) return []
  const greater: Range = [...same, 'greater']
  return isNullable ? [[...same, 'null'], greater] : [greater]
}

function checkPosition(order: readonly OrderColumn[], after: Position): void {
  const isOne =
    after.length === order.length &&
    order.every(({ kind, isNullable }, i) => {
      const value = after[i]
      if (value === null || value === undefined) return isNullable && value === null
      return (isValueOf[kind] ?? isStorable)(String(value))
    })
  if (!isOne) throw new InvalidPositionError('this is not a position in the list')
}

/** Both databases store 64-bit integers. */
const isInteger = (text: string) => /^-?\d{1,19}$/.test(text) && BigInt.asIntN(64, BigInt(text)) === BigInt(text)
const isStorable = (text: string) => !text.includes('\0')
/** On PostgreSQL, instants from older versions may have microseconds. */
const isInstant = (text: string) => /^.{19}\.\d{3,6}Z$/.test(text) && toInstant(text) !== undefined

const isValueOf: Partial<Record<Kind, (text: string) => boolean>> = {
  integer: isInteger,
  boolean: (text) => text === '0' || text === '1',
  instant: isInstant,
  date: isDate,
  decimal: isDecimal,
  money: isDecimal,
}

interface ColumnBounds {
  column: string
  /** Inclusive. */
  from?: string
  /** Exclusive. */
  before?: string
}

/** An index seeks by one lower bound: where the range has its own, the position is compared with `from` instead. */
export function boundConditions(bounds: ColumnBounds | undefined, [first]: Range, position: string): string[] {
  if (bounds === undefined) return []
  const { column, from, before } = bounds
  return [
    ...(from === undefined ? [] : [`${first === undefined ? column : position} >= ${from}`]),
    ...(before === undefined ? [] : [`${first === 'equal' ? position : column} < ${before}`]),
  ]
}

/** Rows that an index finds have the same values in `by`, so the order leaves these out, except addresses, which may differ in case. */
export const orderOf = ({ columns, listing: { order, sqlName } }: Table, by: readonly string[]): OrderColumn[] =>
  orderColumns(
    columns,
    order.filter((field) => !by.includes(field) || columns[field]?.kind === 'email'),
    sqlName,
  )

export const indexesOf = ({ name, listing: { filters = [], indexes } }: Table): readonly ListIndex[] =>
  indexes ?? [
    { name: `${name}_in_order`, by: [] },
    ...filters.map((field) => ({ name: `${name}_by_${columnOf(field)}`, by: [field] })),
  ]

/** `end` is appended to the columns of every index. */
export function orderedIndexes(
  table: Table,
  { schema, isShown }: ListDialect,
  columnsOf: (index: ListIndex, order: OrderColumn[]) => string[],
  end = '',
): SchemaObject[] {
  const { only = [], hidden, sqlName = quoted } = table.listing
  const listed = [...only, ...(hidden === undefined ? [] : [isShown(hidden)])]
  return indexesOf(table).map((index) => {
    const { name, by, where = [] } = index
    const columns = ['workspace_id', ...columnsOf(index, orderOf(table, by))].join(', ')
    const conditions = [...listed, ...where].join(' AND ')
    const sql = `CREATE INDEX ${name} ON ${schema}${sqlName(table.name)} (${columns})${end}${conditions && `\n  WHERE ${conditions}`}`
    return { kind: 'index', name, sql }
  })
}
