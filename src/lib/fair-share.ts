export interface Occupancy {
  current: number
  limit: number
}

/** Beyond the maximum, only holders with less than an equal share may take more. At twice the maximum, none may. */
export class FairShare {
  readonly #max: number
  readonly #maxEach: number
  readonly #held = new Map<string, number>()
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
    return held >= this.#maxEach || (this.isFull && held >= this.#max / (this.#held.size + 1))
  }

  take(holder: string, amount: number): void {
    this.#total += amount
    this.#held.set(holder, (this.#held.get(holder) ?? 0) + amount)
  }

  release(holder: string, amount: number): void {
    const left = (this.#held.get(holder) ?? 0) - amount
    this.#total -= amount
    if (left > 0) this.#held.set(holder, left)
    else this.#held.delete(holder)
  }
}
