import { counted, named } from '../../lib/format-count.ts'
import type { Row } from '../../lists/column.ts'
import { quotedText } from './values.ts'

/** Further values are only counted. */
const MAX_NAMED = 20
const MAX_COUNTED = 10_000

/** What a dry run shows of a map: the first record as it is read, defaults, and values not listed. An import shows the defaults. */
export class MapReport {
  first: Row | undefined
  readonly #misses = new Map<string, number>()
  readonly #defaults = new Map<string, number>()

  missed(field: string, text: string, meaning: string | null): void {
    const miss = `${field} ${quotedText(text)} is read as ${meaning === null ? 'empty' : quotedText(meaning)}`
    if (this.#misses.has(miss) || this.#misses.size < MAX_COUNTED)
      this.#misses.set(miss, (this.#misses.get(miss) ?? 0) + 1)
  }

  /** The record lacks what it must have, such as a title, and gets the map's default instead. */
  defaulted(field: string, value: string): void {
    const meaning = `the ${field} ${quotedText(value)}`
    this.#defaults.set(meaning, (this.#defaults.get(meaning) ?? 0) + 1)
  }

  defaults(map: string): string[] {
    return [...this.#defaults].map(([meaning, count]) => `The map ${map} gave ${counted(count, 'record')} ${meaning}.`)
  }

  lines(map: string): string[] {
    const misses = [...this.#misses].slice(0, MAX_NAMED).map(([miss, count]) => `${miss} (${counted(count, 'record')})`)
    return [
      ...(this.first === undefined
        ? []
        : [`The first record as the map ${map} reads it: ${JSON.stringify(this.first)}`]),
      ...this.defaults(map),
      ...(misses.length === 0 ? [] : [`Not in the map: ${named(misses, this.#misses.size)}`]),
    ]
  }
}
