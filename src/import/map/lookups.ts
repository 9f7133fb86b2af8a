import type { MapFile } from './schema.ts'
import { pointerFinder, textsOf } from './values.ts'

/** No board has as many members or lists; every entry is held while the file is parsed. */
const MAX_ENTRIES = 100_000

/** What ids stand for, by items of other arrays in the same document. */
export class Lookups {
  readonly #lookups

  constructor(lookups: MapFile['lookups'] = {}) {
    this.#lookups = Object.entries(lookups).map(([name, { records, key, value }]) => ({
      name,
      array: records,
      findKey: textFinder(key),
      findValue: textFinder(value),
      entries: new Map<string, string>(),
    }))
  }

  /** Takes an item of an array, and returns what is wrong with it; undefined if no look-up is filled from the array. */
  add(array: string | undefined, item: unknown): string[] | undefined {
    const filled = this.#lookups.filter((lookup) => lookup.array === array)
    if (filled.length === 0) return undefined
    return filled.flatMap(({ name, findKey, findValue, entries }) => {
      const [key, value] = [findKey(item), findValue(item)]
      if (key !== undefined && value !== undefined) entries.set(key, value)
      return entries.size > MAX_ENTRIES ? [`the look-up ${name} has more than ${MAX_ENTRIES} entries`] : []
    })
  }

  find(name: string, key: string): string | undefined {
    return this.#lookups.find((lookup) => lookup.name === name)?.entries.get(key)
  }
}

function textFinder(pointer: string): (item: unknown) => string | undefined {
  const find = pointerFinder(pointer)
  return (item) => find(item).flatMap((value) => textsOf(value))[0]
}
