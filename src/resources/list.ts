import type { List } from '../database/keyset.ts'
import * as postgres from '../database/postgres/list.ts'
import type { PageQueries } from '../database/queries.ts'
import * as sqlite from '../database/sqlite/list.ts'
import { type Column, type Columns, columnsOf, type Table } from '../database/table.ts'
import { type Field, integer, type Optional, optional, string } from '../lib/schema.ts'
import { type ListShape, listShape } from './pages.ts'

type Filters = Record<string, Optional<Field<string | number>>>

/**
 * What a plain list takes: its table, with an index for the order and one for each filter, the queries of its pages, and the
 * filters of its tool.
 */
export function defineList<C extends Columns>(
  table: Pick<Table<C>, 'name' | 'singular' | 'version' | 'columns'>,
  options: { [Name in 'order' | 'filters']: readonly (keyof C & string)[] } & Pick<ListShape, 'limit'> & {
      /** The field that describes a row best. */
      label?: keyof C & string
      /** The table's name, unless told. */
      member?: string
    },
): { table: Table<C>; list: ListShape; filters: Filters; pages: PageQueries & { narrowedBy: Filters } } {
  const { member = table.name, ...listing } = options
  const list = { table, ...options }
  const filters = filtersOf(list, member)
  const indexes = { sqlite: sqlite.listIndexes(list), postgres: postgres.listIndexes(list) }
  return {
    table: { ...table, listing, ...indexes },
    list: listShape({ ...table, listing }, member),
    filters,
    pages: {
      sqlite: (engine) => sqlite.listReader(list, engine),
      postgres: (engine) => postgres.listReader(list, engine),
      narrowedBy: filters,
    },
  }
}

/** What the versions of MCP call their own arguments. */
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
    case 'text':
    case 'email':
      return string({ description })
    case 'mark':
      throw new Error(`${member}: ${field} is a mark, and no list can be narrowed by it`)
  }
}
