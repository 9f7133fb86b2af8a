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
