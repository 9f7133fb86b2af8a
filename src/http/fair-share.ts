/**
 * Bounds something that many share, so that nobody takes it all. Each may hold its portion; once everything is taken, only
 * those go on that hold less than an equal part, and at twice the bound nobody does.
 */
export class FairShare {
  readonly #most: number
  readonly #mostEach: number
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(most: number, portion: number) {
    this.#most = most
    this.#mostEach = most * portion
  }

  get total(): number {
    return this.#total
  }

  get isFull(): boolean {
    return this.#total >= this.#most
  }

  /** Whether this holder may take no more at the moment. What it takes next may carry it over its portion once. */
  isOver(holder: string): boolean {
    return this.#total >= 2 * this.#most || this.hasItsShare(holder)
  }

  /** Whether it holds all that it may while others are there: never true of one that holds nothing. */
  hasItsShare(holder: string): boolean {
    const held = this.#held.get(holder) ?? 0
    return held >= this.#mostEach || (this.isFull && held >= this.#most / (this.#held.size + 1))
  }

  /** What others hold as well counts for each of them, but only once for all. */
  take(holder: string, amount: number, amountForAll = amount): void {
    this.#total += amountForAll
    this.#held.set(holder, (this.#held.get(holder) ?? 0) + amount)
  }

  release(holder: string, amount: number, amountForAll = amount): void {
    this.#total -= amountForAll
    const left = (this.#held.get(holder) ?? 0) - amount
    if (left > 0) this.#held.set(holder, left)
    else this.#held.delete(holder)
  }
}
