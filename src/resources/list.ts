import type { List, ListArguments } from '../database/list.ts'
import * as postgres from '../database/postgres/list.ts'
import type { Queries } from '../database/queries.ts'
import * as sqlite from '../database/sqlite/list.ts'
import { type Column, type Columns, columnsOf, type Table } from '../database/table.ts'
import { type Field, integer, type ObjectSchema, type Optional, object, optional, string } from '../lib/schema.ts'

type ArgumentsSchema = ObjectSchema<Record<string, Optional<Field<string | number>>>>

/**
 * What a plain list takes: its table, with an index for the order and one for each filter, the queries over it, and the
 * arguments of its tool.
 */
export function defineList<C extends Columns>(
  table: Pick<Table<C>, 'name' | 'singular' | 'version' | 'columns'>,
  options: { [Name in 'order' | 'filters']: readonly (keyof C & string)[] } & Pick<List, 'limit'> &
    Partial<Pick<List, 'member'>>,
): { table: Table<C>; queries: Queries<ListArguments>; arguments: ArgumentsSchema } {
  const list = { table, member: table.name, ...options }
  const args = argumentsOf(list)
  return {
    table: { ...table, listing: options, sqlite: sqlite.listIndexes(list), postgres: postgres.listIndexes(list) },
    queries: {
      sqlite: (engine) => sqlite.listReader(list, engine),
      postgres: (engine) => postgres.listReader(list, engine),
      arguments: args,
    },
    arguments: args,
  }
}

/** The filters and a limit, all optional. */
function argumentsOf({ table, member, filters, limit }: List): ArgumentsSchema {
  if (filters.includes('limit')) throw new Error(`${table.name}: a list has an argument 'limit' already`)
  const columns = columnsOf(table).filter(({ field }) => filters.includes(field))
  const description = `How many ${member} at most; ${limit} if left out.`
  return object(
    {
      limit: optional(integer({ minimum: 1, maximum: limit, description })),
      ...Object.fromEntries(columns.map((column) => [column.field, optional(argumentOf(member, column))])),
    },
    { additionalProperties: false },
  )
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
