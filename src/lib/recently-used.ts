/** A two-generation cache. While at most `size` entries are in use, none is evicted, and a hit costs one lookup. */
export class RecentlyUsed<Value, Key = string> {
  readonly #size: number
  #young = new Map<Key, Value>()
  #old = new Map<Key, Value>()

  /** The cache holds at most twice as many. */
  constructor(size: number) {
    this.#size = size
  }

  get(key: Key): Value | undefined {
    return this.#young.get(key) ?? this.#promote(key)
  }

  getOrCreate(key: Key, create: (key: Key) => Value): Value {
    const cached = this.get(key)
    if (cached !== undefined) return cached
    const created = create(key)
    this.set(key, created)
    return created
  }

  set(key: Key, value: Value): void {
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

  #promote(key: Key): Value | undefined {
    const value = this.#old.get(key)
    if (value === undefined) return undefined
    this.#old.delete(key)
    this.set(key, value)
    return value
  }
}
