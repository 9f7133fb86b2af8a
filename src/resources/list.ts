import type { List } from '../database/keyset.ts'
import { questionedList } from '../database/narrowing.ts'
import type { QuestionedList } from '../database/queries.ts'
import { type Columns, isText, type Listing, publishedColumns, type Table } from '../database/table.ts'
import { type Current, currentParts } from './current.ts'
import { countable, declaredArguments, type ToolArguments } from './list-arguments.ts'

export interface DefinedList {
  table: Table
  questions: QuestionedList
  arguments: ToolArguments
}

export interface ResourceList extends QuestionedList {
  /** In the order of the response. */
  fields: readonly string[]
  /** Included even if other fields are requested: the id, and the field that describes a row best. */
  always: readonly string[]
  /** In characters, if bounded. */
  maxLengths: Readonly<Record<string, number>>
}

export function resourceList({ table, questions }: DefinedList): ResourceList {
  const columns = publishedColumns(table)
  const { label } = table.listing ?? {}
  const bounded = columns.filter((column) => isText(column) && column.maxLength !== undefined)
  return {
    ...questions,
    fields: columns.map(({ field }) => field),
    always: label === undefined ? ['id'] : ['id', label],
    maxLengths: Object.fromEntries(bounded.map(({ field, maxLength = 0 }) => [field, maxLength])),
  }
}

/** Derives a plain list's table, indexes, page queries and tool filters from its columns. */
export function defineList<C extends Columns>(
  table: Pick<Table<C>, 'name' | 'singular' | 'version' | 'columns' | 'declaration'>,
  given: { [Name in 'order' | 'filters']: readonly (keyof C & string)[] } & Pick<Listing, 'limit'> & {
      label?: keyof C & string
      /** Fields that the filter `query` searches. */
      search?: readonly (keyof C & string)[]
      /** Without it, all rows. */
      current?: Current
    },
): DefinedList {
  const { search = [], current = {}, ...options } = given
  const { columns, rows, ...hiding } = currentParts(table, current)
  const whole = { ...table, columns }
  const listing: Listing = { ...options, ...hiding, ...(Object.keys(current).length > 0 && { current: rows }) }
  const list: List = { table: whole, search, countBy: countable(table), ...listing }
  return {
    table: { ...whole, listing, ...(search.length > 0 && { search: { fields: search } }) },
    questions: questionedList(list),
    arguments: declaredArguments(list, table.singular, current),
  }
}
