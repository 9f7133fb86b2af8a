import { rangesOf } from '../database/lists/plain-list.ts'
import { columnsOf, publishedColumns, type Table } from '../database/table.ts'
import { jsonField } from '../database/tables/json-field.ts'
import { defined } from '../lib/defined.ts'
import { arrayOf, type Field, type Fields, string } from '../lib/schema.ts'
import type { Column, Columns, Kind } from '../lists/column.ts'
import type { Current } from '../lists/current.ts'

/** What narrows a tool's result. Lists have more arguments, such as a limit: see src/mcp/arguments.ts. */
export interface ToolArguments {
  /** None is required. */
  filters: Fields
  /** Filters that ignore the case of an address's ASCII letters, or of all letters. */
  matching?: Readonly<Record<string, 'address' | 'folded'>>
  /** Pairs of filters for a range; the first must be earlier than the second. */
  ranges?: readonly (readonly [from: string, before: string])[]
  /** Only tasks have this, `flags` and `excludes`. */
  days?: Days
  /** Filters whose `false` means the same as leaving them out. */
  flags?: readonly string[]
  /** Arguments that contradict another. */
  excludes?: Readonly<Record<string, readonly string[]>>
}

/** Days of the workspace's timezone, and `overdue`, which is before now. */
export const DAYS = ['overdue', 'today', 'tomorrow', 'this_week', 'next_7_days', 'none'] as const
export type DaysWord = (typeof DAYS)[number]

/** An argument with a word of DAYS, and the filters that it stands for. */
export interface Days {
  argument: string
  /** Instants, the second exclusive. */
  from: string
  to: string
  /** `true` for rows without a date. */
  none: string
}

/** Arguments that every list has, or may have. */
export const RESERVED_ARGUMENTS = ['limit', 'cursor', 'fields', 'ifNoneMatch', 'ids', 'query', 'countBy']
const MAX_IDS = 100
/** Longer texts are seldom shared by several rows. */
export const MAX_COUNTED_LENGTH = 200

function filtersOf(table: Table, current: Current): Fields {
  const { columns, listing, singular } = table
  const { filters = [] } = listing
  const args = [
    ...columnsOf(table)
      .filter(({ field }) => filters.includes(field))
      .map((column) => [column.field, argumentOf(table.name, column, current[column.field])] as const),
    ...rangesOf(columns, listing).flatMap(({ field, from, before }) => {
      const isDate = columns[field]?.kind === 'date'
      const format = isDate ? 'date' : 'date-time'
      const [since, until] = isDate
        ? [`${field} on or after this date, such as 2026-11-20.`, `${field} before this date.`]
        : [`${field} at or after this instant or local date: ${MOMENTS}.`, `${field} before this; same forms.`]
      return [
        [from, string({ format, description: since })] as const,
        [before, string({ format, description: until })] as const,
      ]
    }),
  ]
  const ids = arrayOf(string(), {
    maxItems: MAX_IDS,
    description: `${singular[0]?.toUpperCase()}${singular.slice(1)} ids.`,
  })
  return Object.fromEntries([...args, ['ids', ids]])
}

const MOMENTS = '2026-11-20T09:00:00Z or 2026-11-20'

/** Follows the field's name in the description of its argument. */
const EXACT: Partial<Record<Kind, string>> = {
  instant: ': an instant, or a local date for its first moment.',
  date: ', such as 2026-11-20.',
  decimal: ', such as 1240.50.',
  money: ', such as 1240.50.',
  email: '; letter case is ignored.',
}

/** No row of the list has a choice that is not current. */
function argumentOf(
  table: string,
  { field, kind, minimum, maximum, choices }: Column & { field: string },
  current?: Current[string],
): Field<string | number | boolean> {
  if (kind === 'mark' || kind === 'texts')
    throw new Error(`${table}: ${field} is of the kind ${kind}, which cannot be a filter`)
  const listed = choices?.filter((value) => current?.includes(value) ?? true)
  const value = kind === 'email' || kind === 'url' ? string() : jsonField({ kind, ...defined({ choices: listed }) })
  return {
    ...value,
    ...defined({ minimum, maximum }),
    description: `Exact ${field}${EXACT[kind] ?? '.'}`,
  } as Field<string>
}

/** Derived from the columns of a plain list. `current` is that of its definition. */
export const toolArguments = (table: Table, current: Current = {}): ToolArguments => ({
  filters: filtersOf(table, current),
  matching: Object.fromEntries(
    (table.listing.filters ?? [])
      .filter((field) => table.columns[field]?.kind === 'email')
      .map((field) => [field, 'address' as const]),
  ),
  ranges: rangesOf(table.columns, table.listing).map(({ from, before }) => [from, before] as const),
})

/** Fields whose values several rows may share. */
export const countable = (table: { columns: Columns }): string[] =>
  publishedColumns(table)
    .filter(({ field, kind, maxLength = 0 }) => {
      if (kind === 'text') return field !== 'id' && maxLength <= MAX_COUNTED_LENGTH
      return kind === 'choice' || kind === 'boolean' || kind === 'email'
    })
    .map(({ field }) => field)
