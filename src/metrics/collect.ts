import type { MetricName } from './catalogue.ts'

interface HistogramValue {
  /** Not cumulative; the last one counts observations above all bounds. */
  counts: readonly number[]
  sum: number
}

export interface Sample {
  metric: MetricName
  labels: readonly string[]
  value: number | HistogramValue
}

export type Collect = () => Promise<readonly Sample[]>

export const sample = (metric: MetricName, value: Sample['value'], ...labels: string[]): Sample => ({
  metric,
  labels,
  value,
})

/** Used on every request, so an observation allocates nothing. */
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
