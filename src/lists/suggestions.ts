import { nearest } from '../lib/nearest.ts'
import type { Row } from './column.ts'
import type { List } from './definition.ts'
import { conditionOf } from './filters.ts'
import type { Filters } from './query.ts'
import type { ListRows } from './rows.ts'

/** Comparing takes long, so only some values are: those of the first rows, and those next to the given one in alphabetical order. */
const FIRST_ROWS = 1000
const BESIDE = 100

/** For each filter that no row fulfils, even without the others: up to ten values of the list that are nearest to its own. */
export async function readSuggestions(
  list: List,
  rows: ListRows,
  filters: Filters,
): Promise<Record<string, readonly string[]>> {
  let wanted = Object.entries(list.suggests).flatMap(([name, fields]) => {
    const value = filters[name]
    if (typeof value !== 'string') return []
    const { matches = () => false } = conditionOf(list.filters, { [name]: value })
    return { name, value, fields, matches, first: new Set<string>(), beside: [] as string[] }
  })
  if (wanted.length === 0) return {}
  let read = 0
  for await (const some of rows.walk({})) {
    const values = some.map(({ body }) => JSON.parse(body) as Row)
    wanted = wanted.filter(({ matches }) => !values.some(matches))
    if (wanted.length === 0) return {}
    for (const each of wanted) {
      const found = values.flatMap((row) => each.fields.map((field) => row[field] ?? null))
      const texts = found.filter((value) => value !== null).map(String)
      if (read < FIRST_ROWS) for (const text of texts) each.first.add(text)
      each.beside = besideOf(each.value, [...each.beside, ...texts])
    }
    read += some.length
  }
  const suggestions = wanted.map(
    ({ name, value, first, beside }) => [name, nearest(value, [...first, ...beside])] as const,
  )
  return Object.fromEntries(suggestions.filter(([, values]) => values.length > 0))
}

function besideOf(value: string, texts: readonly string[]): string[] {
  const sorted = [...new Set(texts)].sort()
  const at = sorted.findIndex((text) => text >= value)
  const middle = at < 0 ? sorted.length : at
  return sorted.slice(Math.max(0, middle - BESIDE), middle + BESIDE)
}
