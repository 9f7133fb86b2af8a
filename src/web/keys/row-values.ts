import { checkOnly, escapedValue, formatOnly, typedEntries } from '../../keys/only.ts'
import { listsOf } from '../../lists/definition.ts'
import type { OnlyRows } from '../../lists/only.ts'
import { publishedOf } from '../../resources/define.ts'
import type { RequestContext } from '../context.ts'
import { spaced } from '../html.ts'

/** Values of a field, as they are typed to limit a key to them. */
export interface RowValues {
  /** Such as "Only tasks with this book key". */
  what: string
  values: readonly { shown: string; typed: string }[]
}

/** Only some are offered, so that the page stays small and reading them takes a few milliseconds. Others can be typed. */
const MAX_LISTS = 3
const FIRST_ROWS = 500
const MAX_VALUES = 10
const MAX_VALUE = 60

const limitIn = (list: string, field: string) => `Only ${list} with this ${spaced(field)}`
const typedValue = (list: string, field: string, value: string) => `${list}.${field}=${escapedValue(value)}`

/** Each value by itself, as its box has it. A text of another form stays as it is. */
export function eachTyped(only: string): string[] {
  const each = typedEntries(only).flatMap(({ list, field, values }) =>
    values.map((value) => typedValue(list, field, value)),
  )
  return each.length > 0 ? each : [only]
}

/** In the words of the form. */
export function onlyInWords(typed: string): string {
  const limits = Map.groupBy(typedEntries(typed), ({ list, field }) => limitIn(list, field))
  const words = [...limits].map(([what, entries]) => `${what}: ${entries.flatMap(({ values }) => values).join(', ')}`)
  return words.join('; ') || typed
}

export const rowsText = (only: OnlyRows | null): string => (only === null ? 'All' : onlyInWords(formatOnly(only)))

/** The most frequent values of the first rows. Lists in place are left out: a form opens even if their database is down. */
export async function readRowValues(
  { readerOf, resources }: Pick<RequestContext, 'readerOf' | 'resources'>,
  workspaceId: string,
  now: number,
): Promise<RowValues[]> {
  const found: RowValues[] = []
  const stored = publishedOf(resources).filter(({ inPlace }) => inPlace === undefined)
  const limited = listsOf(stored).filter(({ limitedBy }) => limitedBy.length > 0)
  for (const list of limited.slice(0, MAX_LISTS)) {
    const request = { filters: {}, limit: FIRST_ROWS, fields: list.limitedBy }
    const { rows } = await readerOf(list).page({ workspaceId, now, only: null }, request)
    const parsed = rows.map((row) => JSON.parse(row) as Record<string, string | null>)
    for (const name of list.limitedBy) {
      const typed = (value: string) => typedValue(list.name, name, value)
      const canBeTyped = (value: string) => value === value.trim() && 'only' in checkOnly([typed(value)], limited)
      const values = mostFrequent(parsed.flatMap((row) => row[name] ?? [])).filter(canBeTyped)
      const offered = values.map((shown) => ({ shown, typed: typed(shown) }))
      if (values.length > 0) found.push({ what: limitIn(list.name, name), values: offered })
    }
  }
  return found
}

const mostFrequent = (values: readonly string[]): string[] =>
  [...Map.groupBy(values, (value) => value)]
    .filter(([value]) => value.length <= MAX_VALUE)
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, MAX_VALUES)
    .map(([value]) => value)
