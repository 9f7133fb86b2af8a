import type { List, ListArguments } from '../database/list.ts'
import * as postgres from '../database/postgres/list.ts'
import type { Queries } from '../database/queries.ts'
import * as sqlite from '../database/sqlite/list.ts'
import type { Columns, Table } from '../database/table.ts'

/** What a plain list takes: its table, with an index for the order and one for each filter, and the queries over it. */
export function defineList<C extends Columns>(
  table: Pick<Table<C>, 'name' | 'singular' | 'version' | 'columns'>,
  options: { [Name in 'order' | 'filters']: readonly (keyof C & string)[] } & Pick<List, 'limit'>,
): { table: Table<C>; queries: Queries<ListArguments> } {
  const list = { table, member: table.name, ...options }
  return {
    table: { ...table, sqlite: sqlite.listIndexes(list), postgres: postgres.listIndexes(list) },
    queries: {
      sqlite: (engine) => sqlite.listReader(list, engine),
      postgres: (engine) => postgres.listReader(list, engine),
    },
  }
}
