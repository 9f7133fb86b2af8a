import { foldedWords } from '../lib/fold-case.ts'
import { nearest } from '../lib/nearest.ts'
import type { List } from './definition.ts'
import { conditionOf } from './filters.ts'
import { searchedWords } from './item.ts'
import { collect, matchesOf } from './matches.ts'
import type { Filters, Hints, Suggestions, Total } from './query.ts'
import { type ListRows, rowIn } from './rows.ts'

/** Comparing takes long, so only some values are: those of the first rows, and those next to the given one in alphabetical order. */
const MOST_COMPARED = 1000
const BESIDE = 100

export async function readHints(list: List, rows: ListRows, filters: Filters, total: Total): Promise<Hints> {
  const isEmpty = total.count === 0 && !total.isMinimum
  const suggestions = await (isEmpty ? readSuggestions : readNamesakes)(list, rows, filters)
  return { suggestions, notFound: filters.ids === undefined ? [] : await missingOf(rows, filters.ids as string[]) }
}

async function missingOf(rows: ListRows, ids: readonly string[]): Promise<string[]> {
  const { first } = await collect(rows, { ids }, { kept: ids.length, most: ids.length })
  const found = new Set(first.map((row) => rowIn(row).id))
  return ids.filter((id) => !found.has(id))
}

/** Why nothing matches: values near to those of filters that no row fulfils, even without the others, and how many rows have each word. */
async function readSuggestions(list: List, rows: ListRows, filters: Filters): Promise<Suggestions> {
  let wanted = Object.entries(list.suggests).flatMap(([name, fields]) => {
    const value = filters[name]
    if (typeof value !== 'string') return []
    const { matches = () => false } = conditionOf(list.filters, { [name]: value })
    return { name, value, fields, matches, first: new Set<string>(), beside: [] as string[] }
  })
  const words = new Map([filters.query ?? []].flat().map((word) => [String(word), 0]))
  if (wanted.length === 0 && words.size === 0) return {}
  let read = 0
  for await (const some of rows.walk({ withWords: words.size > 0 })) {
    for (const row of words.size > 0 ? some : []) countWords(words, row.words ?? searchedWords(list, rowIn(row)))
    const values = wanted.length > 0 ? some.map(rowIn) : []
    wanted = wanted.filter(({ matches }) => !values.some(matches))
    if (wanted.length === 0 && words.size === 0) return {}
    for (const each of wanted) {
      const found = values.flatMap((row) => each.fields.map((field) => row[field] ?? null))
      const texts = found.filter((value) => value !== null).map(String)
      if (read < MOST_COMPARED) for (const text of texts) each.first.add(text)
      each.beside = besideOf(each.value, [...each.beside, ...texts])
    }
    read += some.length
  }
  const suggestions = wanted.map(
    ({ name, value, first, beside }) => [name, nearest(value, [...first, ...beside])] as const,
  )
  return {
    ...Object.fromEntries(suggestions.filter(([, values]) => values.length > 0)),
    ...(words.size > 0 && { query: Object.fromEntries(words) }),
  }
}

function besideOf(value: string, texts: readonly string[]): string[] {
  const sorted = [...new Set(texts)].sort()
  const at = sorted.findIndex((text) => text >= value)
  const middle = at < 0 ? sorted.length : at
  return sorted.slice(Math.max(0, middle - BESIDE), middle + BESIDE)
}

function countWords(words: Map<string, number>, text: string): void {
  for (const [word, count] of words) if (text.includes(word)) words.set(word, count + 1)
}

interface Part {
  filter: string
  field: string
  text: string
}

/** The filter that takes a part of a field, if there is one. */
const partIn = (list: List, filters: Filters): Part | undefined =>
  Object.entries(filters).flatMap(([filter, value]) => {
    const field = list.filters[filter]?.(value).part
    return field === undefined ? [] : { filter, field, text: String(value) }
  })[0]

/** Where the part is a whole word of some values that match, and only a part of others, such as Priya and Priyanka: all of them. */
async function readNamesakes(list: List, rows: ListRows, filters: Filters): Promise<Suggestions> {
  const part = partIn(list, filters)
  if (part === undefined) return {}
  const { filter, field, text } = part
  const found = new Set<string>()
  for await (const some of matchesOf(rows, conditionOf(list.filters, filters))) {
    for (const row of some) found.add(String(rowIn(row)[field]))
    if (found.size >= MOST_COMPARED) break
  }
  const whole = [...found].filter((value) => ` ${foldedWords(value)} `.includes(` ${text} `))
  return whole.length > 0 && whole.length < found.size ? { [filter]: nearest(text, found) } : {}
}
