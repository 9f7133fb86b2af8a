import { pointerAccessor } from './pointer.ts'
import type { Lookup } from './schema.ts'
import { textsOf } from './texts.ts'

/** No board has as many members or lists; every entry is kept while the file is read. */
const MAX_ENTRIES = 100_000

/** What ids stand for, by items of other arrays in the same document. */
export class Lookups {
  /** Pointers to the arrays, each once. */
  readonly arrays: readonly string[]
  readonly #lookups: { name: string; array: string; key: Find; value: Find; entries: Map<string, string> }[]

  constructor(lookups: Record<string, Lookup>) {
    this.#lookups = Object.entries(lookups).map(([name, { records, key, value }]) => ({
      name,
      array: records,
      key: firstText(key),
      value: firstText(value),
      entries: new Map(),
    }))
    this.arrays = [...new Set(this.#lookups.map(({ array }) => array))]
  }

  /** Takes an item of one of the arrays; returns what is wrong. */
  add(array: string, item: unknown): string[] {
    return this.#lookups
      .filter((lookup) => lookup.array === array)
      .flatMap(({ name, key, value, entries }) => {
        const [from, to] = [key(item), value(item)]
        if (from === undefined || to === undefined) return []
        entries.set(from, to)
        return entries.size > MAX_ENTRIES ? [`the look-up ${name} has more than ${MAX_ENTRIES} entries`] : []
      })
  }

  find(name: string, key: string): string | undefined {
    return this.#lookups.find((lookup) => lookup.name === name)?.entries.get(key)
  }
}

type Find = (item: unknown) => string | undefined

function firstText(pointer: string): Find {
  const values = pointerAccessor(pointer)
  return (item) => values(item).flatMap((value) => textsOf(value, () => {}))[0]
}
