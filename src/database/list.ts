import { type OrderColumn, orderColumns } from './keyset.ts'
import type { PageRequest } from './queries.ts'
import { type Columns, columnOf, quotedColumn } from './table.ts'

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
