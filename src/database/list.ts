import { toInstant } from '../lib/instant.ts'
import { type Columns, columnOf } from './table.ts'

/** A plain list of a resource's rows, by fields of its table. */
export interface List {
  table: { name: string; columns: Columns }
  /** The member of the answer that holds the rows: the table's name, unless told. */
  member: string
  /** By these fields, what is null last, then in the order of creation. */
  order: readonly string[]
  /** Fields that an argument of the same name narrows the list by. */
  filters: readonly string[]
  /** The most that are answered. */
  limit: number
}

/** As argumentsOf in resources/list.ts has them; they were checked before. */
export type ListArguments = Record<string, string | number | undefined>

export const limitOf = ({ limit }: List, args: ListArguments): number =>
  Math.max(1, Math.min(Number(args.limit ?? limit), limit))

/** Those that have a value, each with the value as it is stored. */
export const filtersIn = ({ table, filters }: List, args: ListArguments): { field: string; value: string | number }[] =>
  filters.flatMap((field) => {
    const value = args[field]
    if (value === undefined) return []
    const isInstant = table.columns[field]?.kind === 'instant'
    return { field, value: isInstant ? (toInstant(String(value)) ?? value) : value }
  })

/** Once in order, and once behind each filter. */
export const indexesOf = ({ table, filters }: List): { name: string; filter: string[] }[] => [
  { name: `${table.name}_in_order`, filter: [] },
  ...filters.map((field) => ({ name: `${table.name}_by_${columnOf(field)}`, filter: [field] })),
]
