import { plainList } from '../database/lists/plain-list.ts'
import type { QueryableList } from '../database/lists/reader.ts'
import { type Columns, isText, type Listing, publishedColumns, type Table } from '../database/table.ts'
import { type Current, currentParts } from './current.ts'
import { countable, declaredArguments, type ToolArguments } from './list-arguments.ts'

export interface DefinedList extends QueryableList {
  arguments: ToolArguments
}

export interface ResourceList extends QueryableList {
  /** In the order of the response. */
  fields: readonly string[]
  /** Included even if other fields are requested: the id, and the field that describes a row best. */
  always: readonly string[]
  /** In characters, if bounded. */
  maxLengths: Readonly<Record<string, number>>
}

export function resourceList(list: QueryableList): ResourceList {
  const columns = publishedColumns(list.table)
  const { label } = list.table.listing
  const bounded = columns.filter((column) => isText(column) && column.maxLength !== undefined)
  return {
    ...list,
    fields: columns.map(({ field }) => field),
    always: label === undefined ? ['id'] : ['id', label],
    maxLengths: Object.fromEntries(bounded.map(({ field, maxLength = 0 }) => [field, maxLength])),
  }
}

/** Derives a plain list's table, indexes, page queries and tool filters from its columns. */
export function defineList<C extends Columns>(
  definition: Pick<Table<C>, 'name' | 'singular' | 'version' | 'columns' | 'declaration'>,
  given: { [Name in 'order' | 'filters']: readonly (keyof C & string)[] } & Pick<Listing, 'limit'> & {
      label?: keyof C & string
      /** Fields that the filter `query` searches. */
      search?: readonly (keyof C & string)[]
      /** Without it, all rows. */
      current?: Current
    },
): DefinedList {
  const { search = [], current = {}, ...options } = given
  const { columns, ...parts } = currentParts(definition, current)
  const listing: Listing = { ...options, ...parts }
  const table: Table = { ...definition, columns, listing, ...(search.length > 0 && { search: { fields: search } }) }
  return { ...plainList(table, countable(table)), arguments: declaredArguments(table, current) }
}
