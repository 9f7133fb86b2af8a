export interface Occupancy {
  current: number
  limit: number
}

/** Holders that have released everything are not forgotten at once, since a Map whose few entries come and go is rebuilt again and again. */
const MAX_REMEMBERED = 1000

/** Beyond the maximum, only holders with less than an equal share may take more. At twice the maximum, none may. */
export class FairShare {
  readonly #max: number
  readonly #maxEach: number
  readonly #held = new Map<string, number>()
  #holders = 0
  #total = 0

  constructor(max: number, maxShare: number) {
    this.#max = max
    this.#maxEach = max * maxShare
  }

  get total(): number {
    return this.#total
  }

  get occupancy(): Occupancy {
    return { current: this.#total, limit: this.#max }
  }

  get isFull(): boolean {
    return this.#total >= this.#max
  }

  /** A holder's last `take` may exceed its share. */
  isRefused(holder: string): boolean {
    return this.#total >= 2 * this.#max || this.hasFullShare(holder)
  }

  /** Never true for a holder that holds nothing. */
  hasFullShare(holder: string): boolean {
    const held = this.#held.get(holder) ?? 0
    return held >= this.#maxEach || (this.isFull && held >= this.#max / (this.#holders + 1))
  }

  take(holder: string, amount: number): void {
    const held = this.#held.get(holder) ?? 0
    if (held === 0) this.#holders++
    this.#total += amount
    this.#held.set(holder, held + amount)
  }

  release(holder: string, amount: number): void {
    const left = (this.#held.get(holder) ?? 0) - amount
    if (left === 0) this.#holders--
    this.#total -= amount
    if (left > 0 || this.#held.size <= MAX_REMEMBERED) this.#held.set(holder, left)
    else this.#held.delete(holder)
  }
}
