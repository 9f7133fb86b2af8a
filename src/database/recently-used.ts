/**
 * Keeps what was used recently, within a bound. Entries are kept in two generations: when the young one is full it becomes
 * the old one, and what was not asked for since goes. So a hit costs one look into a map, and as long as no more entries
 * than `size` are in use, whatever their order, none of them goes.
 */
export class RecentlyUsed<Value> {
  readonly #size: number
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()

  /** At most twice as many are held. */
  constructor(size: number) {
    this.#size = size
  }

  get(key: string): Value | undefined {
    return this.#young.get(key) ?? this.#promote(key)
  }

  set(key: string, value: Value): void {
    if (this.#young.size >= this.#size && !this.#young.has(key)) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, value)
  }

  clear(): void {
    this.#young.clear()
    this.#old.clear()
  }

  #promote(key: string): Value | undefined {
    const value = this.#old.get(key)
    if (value === undefined) return undefined
    this.#old.delete(key)
    this.set(key, value)
    return value
  }
}
