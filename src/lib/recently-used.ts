/** A two-generation cache. While at most `size` entries are in use, none is evicted, and a hit costs one lookup. */
export class RecentlyUsed<Value> {
  readonly #size: number
  #young = new Map<string, Value>()
  #old = new Map<string, Value>()

  /** The cache holds at most twice as many. */
  constructor(size: number) {
    this.#size = size
  }

  get(key: string): Value | undefined {
    return this.#young.get(key) ?? this.#promote(key)
  }

  getOrCreate(key: string, create: (key: string) => Value): Value {
    const cached = this.get(key)
    if (cached !== undefined) return cached
    const created = create(key)
    this.set(key, created)
    return created
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
