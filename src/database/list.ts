import { orderColumns } from './keyset.ts'
import type { PageRequest } from './queries.ts'
import { type Columns, columnOf } from './table.ts'

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

export const orderOf = ({ table, order }: List, filters: readonly { field: string }[] = []) =>
  orderColumns(
    table,
    order,
    filters.map(({ field }) => field),
  )

/** Once in order, and once behind each filter. */
export const indexesOf = ({ table, filters }: List): { name: string; filter: string[] }[] => [
  { name: `${table.name}_in_order`, filter: [] },
  ...filters.map((field) => ({ name: `${table.name}_by_${columnOf(field)}`, filter: [field] })),
]
