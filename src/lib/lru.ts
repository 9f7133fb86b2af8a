interface Entry<Value> {
  readonly value: Value
  readonly weight: number
}

/** Evicting more at a time than must go is faster: to find its first key, a Map passes over all that were deleted before it. */
const KEPT = 15 / 16

/** A cache that evicts the least recently used entries once all weigh more than `maxWeight`. By default each entry weighs 1. */
export class Lru<Value, Key = string> {
  readonly maxWeight: number
  readonly #weightOf: (value: Value, key: Key) => number
  /** The least recently used first. */
  readonly #entries = new Map<Key, Entry<Value>>()
  #newest: Key | undefined
  #weight = 0

  constructor(maxWeight: number, weightOf: (value: Value, key: Key) => number = () => 1) {
    this.maxWeight = maxWeight
    this.#weightOf = weightOf
  }

  get weight(): number {
    return this.#weight
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (key !== this.#newest) {
      this.#entries.delete(key)
      this.#entries.set(key, entry)
      this.#newest = key
    }
    return entry.value
  }

  getOrCreate(key: Key, create: (key: Key) => Value): Value {
    const cached = this.get(key)
    if (cached !== undefined) return cached
    const created = create(key)
    this.set(key, created)
    return created
  }

  /** A value that weighs more than the whole cache may is not stored. */
  set(key: Key, value: Value): void {
    this.delete(key)
    const weight = this.#weightOf(value, key)
    if (weight > this.maxWeight) return
    this.#entries.set(key, { value, weight })
    this.#newest = key
    this.#weight += weight
    if (this.#weight > this.maxWeight) this.#evict()
  }

  #evict(): void {
    for (const key of this.#entries.keys()) {
      if (key === this.#newest || this.#weight <= this.maxWeight * KEPT) return
      this.delete(key)
    }
  }

  delete(key: Key): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
    this.#weight = 0
  }
}
