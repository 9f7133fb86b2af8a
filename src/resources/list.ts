import { plainList } from '../database/lists/plain-list.ts'
import type { Listing, Table } from '../database/table.ts'
import type { Columns } from '../lists/column.ts'
import type { Current } from '../lists/current.ts'
import { currentParts } from './current.ts'
import { countable } from './list-arguments.ts'

/** Derives a plain list's table, indexes and page queries from its columns. `toolArguments` derives its tool's filters. */
export function defineList<C extends Columns>(
  definition: Pick<Table<C>, 'name' | 'singular' | 'version' | 'columns' | 'declaration'>,
  options: { [Name in 'order' | 'filters']: readonly (keyof C & string)[] } & Pick<Listing, 'limit'> & {
      label?: keyof C & string
      /** Fields that the filter `query` searches. */
      search?: readonly (keyof C & string)[]
      /** Without it, all rows. */
      current?: Current
    },
) {
  const { search = [], current = {}, ...others } = options
  const { columns, ...parts } = currentParts(definition, current)
  const listing: Listing = { ...others, ...parts }
  const table: Table = { ...definition, columns, listing, ...(search.length > 0 && { search: { fields: search } }) }
  return plainList(table, countable(table))
}
