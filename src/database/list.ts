import type { Columns } from './table.ts'

/** A plain list of a resource's rows, by fields of its table. */
export interface List {
  table: { name: string; columns: Columns }
  /** The member of the answer that holds the rows. */
  member: string
  /** By these fields, what is null last, then in the order of creation. */
  order: readonly string[]
  /** Fields that an argument of the same name narrows the list by. */
  filters: readonly string[]
  /** The most that are answered. */
  limit: number
}

/** Every filter that has a value; none is ever dropped silently. */
export type ListArguments = Record<string, string | number | undefined>

export const filtersIn = ({ filters }: List, args: ListArguments): string[] =>
  filters.filter((field) => args[field] !== undefined)

/** Once in order, and once behind each filter. */
export const indexesOf = ({ table, filters }: List): { name: string; filter: string[] }[] => [
  { name: `${table.name}_in_order`, filter: [] },
  ...filters.map((field) => ({ name: `${table.name}_in_order_by_${field.toLowerCase()}`, filter: [field] })),
]
