import type { MetricName } from './catalogue.ts'

export interface HistogramValue {
  /** Observations up to each bound, and the last beyond all of them; not cumulative. */
  counts: readonly number[]
  sum: number
}

/** A series and its value. It can be sent to another thread. */
export interface Sample {
  metric: MetricName
  /** In the order of the metric's labels. */
  labels: readonly string[]
  value: number | HistogramValue
}

/** Collects what one thread has measured. */
export type Collect = () => Promise<readonly Sample[]>

export interface Collector {
  /** Its number, from 1. */
  worker: number
  collect: Collect
}

export const sample = (metric: MetricName, value: Sample['value'], ...labels: string[]): Sample => ({
  metric,
  labels,
  value,
})

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
