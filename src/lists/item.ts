import { foldedWords } from '../lib/fold-case.ts'
import type { Row } from './column.ts'
import { mayBeShown, shownFrom } from './current.ts'
import type { List } from './definition.ts'
import { sortKeyOf } from './sort-key.ts'

/** A row as it is stored: everything that the reader needs was computed when it was written. */
export interface Item {
  /** Null if the list does not show the row, whatever the time. */
  sortKey: string | null
  /** In milliseconds; null if the row is shown from the beginning. */
  shownFrom: number | null
  /** The words of the searched texts; null without any, or if the list does not show the row. */
  words: string | null
  /** The row's JSON as responses have it. */
  body: string
  /** The JSON of the other fields that have a value; null without any. */
  rest: string | null
}

/** A line for each text, so that no phrase is found across two of them. */
export const searchedWords = ({ search }: List, row: Row): string =>
  search.map((name) => foldedWords(String(row[name] ?? ''))).join('\n')

/** A field that the row does not have gets its default, or null. */
export function rowOf({ fields }: List, given: Row): Row {
  const row: Row = {}
  for (const { name, default: preset = null } of fields) row[name] = given[name] ?? preset
  return row
}

export function itemOf(list: List, given: Row): Item {
  const { fields, current, order, search } = list
  const row = rowOf(list, given)
  const body: Row = {}
  const rest: Row = {}
  for (const { name, isPublished } of fields) {
    const value = row[name] ?? null
    if (isPublished) body[name] = value
    else if (value !== null) rest[name] = value
  }
  const isShown = mayBeShown(current, row)
  return {
    sortKey: isShown ? sortKeyOf(order, row) : null,
    shownFrom: isShown ? shownFrom(current, row) : null,
    words: isShown && search.length > 0 ? searchedWords(list, row) : null,
    body: JSON.stringify(body),
    rest: Object.keys(rest).length > 0 ? JSON.stringify(rest) : null,
  }
}

/** The row's values, published or not, as far as they were stored. */
export const storedRow = ({ body, rest }: Pick<Item, 'body' | 'rest'>): Row => ({
  ...(JSON.parse(body) as Row),
  ...(rest !== null && (JSON.parse(rest) as Row)),
})
