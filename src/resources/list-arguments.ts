import { defined } from '../lib/defined.ts'
import { arrayOf, type Field, type Fields, string } from '../lib/schema.ts'
import type { Columns, Kind } from '../lists/column.ts'
import type { Current } from '../lists/current.ts'
import { fieldsOf, type List, type ListField, publishedFields, rangesOf } from '../lists/definition.ts'
import { jsonField } from '../lists/json-field.ts'

/** What narrows a tool's result. Lists have more arguments, such as a limit: see src/mcp/arguments.ts. */
export interface ToolArguments {
  /** None is required. */
  filters: Fields
  /** Filters whose value is an address, or an address or part of a name. */
  matching?: Readonly<Record<string, 'address' | 'person'>>
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
export const RESERVED_ARGUMENTS = [
  'limit',
  'cursor',
  'fields',
  'changedSince',
  'ifNoneMatch',
  'ids',
  'query',
  'countBy',
]
const MAX_IDS = 100
/** Longer texts are seldom shared by several rows. */
export const MAX_COUNTED_LENGTH = 200

/** Derived from a list whose filters are plain fields. */
export function toolArguments({ fields, order, singular, current }: List, filters: readonly string[]): ToolArguments {
  const filtered = fields.filter(({ name }) => filters.includes(name))
  const ranges = rangesOf([...order, ...filters.flatMap((name) => fields.find((field) => field.name === name) ?? [])])
  const ids = arrayOf(string(), {
    maxItems: MAX_IDS,
    description: `${singular[0]?.toUpperCase()}${singular.slice(1)} ids.`,
  })
  return {
    filters: {
      ...Object.fromEntries(filtered.map((field) => [field.name, argumentOf(field, current[field.name])])),
      ...Object.fromEntries(ranges.flatMap(rangeArguments)),
      ids,
    },
    matching: Object.fromEntries(
      filtered.filter(({ kind }) => kind === 'email').map(({ name }) => [name, 'address' as const]),
    ),
    ranges: ranges.map(({ from, until }) => [from, until] as const),
  }
}

function rangeArguments({ name, kind, from, until }: ReturnType<typeof rangesOf>[number]) {
  const isDate = kind === 'date'
  const format = isDate ? 'date' : 'date-time'
  const [atOrAfter, before] = isDate
    ? [`${name} on or after this date, such as 2026-11-20.`, `${name} before this date.`]
    : [`${name} at or after this instant or local date: ${MOMENTS}.`, `${name} before this; same forms.`]
  return [
    [from, string({ format, description: atOrAfter })] as const,
    [until, string({ format, description: before })] as const,
  ]
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
function argumentOf({ name, kind, minimum, maximum, choices }: ListField, current?: Current[string]) {
  const listed = choices?.filter((value) => current?.includes(value) ?? true)
  const value = kind === 'email' || kind === 'url' ? string() : jsonField({ kind, ...defined({ choices: listed }) })
  return {
    ...value,
    ...defined({ minimum, maximum }),
    description: `Exact ${name}${EXACT[kind] ?? '.'}`,
  } as Field<string | number | boolean>
}

/** Fields whose values several rows may share. */
export const countable = (columns: Columns): string[] =>
  publishedFields(fieldsOf(columns))
    .filter(({ name, kind, maxLength = 0 }) => {
      if (kind === 'text') return name !== 'id' && maxLength <= MAX_COUNTED_LENGTH
      return kind === 'choice' || kind === 'boolean' || kind === 'email'
    })
    .map(({ name }) => name)
