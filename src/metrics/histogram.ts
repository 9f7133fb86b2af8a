import type { HistogramValue } from './collect.ts'

/** Counts observations by upper bounds. On the path of every request: an observation allocates nothing. */
export class Histogram {
  readonly #bounds: readonly number[]
  readonly #counts: Float64Array
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  observe(value: number): void {
    const bounds = this.#bounds
    let at = 0
    while (at < bounds.length && value > (bounds[at] as number)) at++
    this.#counts[at] = (this.#counts[at] as number) + 1
    this.#sum += value
  }

  get value(): HistogramValue {
    return { counts: [...this.#counts], sum: this.#sum }
  }
}
