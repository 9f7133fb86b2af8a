import { setTimeout as delay } from 'node:timers/promises'
import { definitionOf } from './catalogue.ts'
import { type Collector, type HistogramValue, type Sample, sample } from './collect.ts'

/** Well within the ten seconds that Prometheus gives a scrape by default. A thread that hangs for longer is reported as down. */
const COLLECT_TIMEOUT_MS = 2000

/** Collects from all serving threads, and combines what they measured. */
export class Workers {
  readonly #collectors: () => Collector[]
  readonly #count: number
  /** A counter that left out a thread would fall, and Prometheus would take that for a restart. */
  readonly #lastKnown = new Map<number, readonly Sample[]>()

  constructor(collectors: () => Collector[], count: number) {
    this.#collectors = collectors
    this.#count = count
  }

  async samples(): Promise<Sample[]> {
    const up = new Set<number>()
    const late = delay(COLLECT_TIMEOUT_MS, undefined, { ref: false })
    await Promise.all(
      this.#collectors().map(async ({ worker, collect }) => {
        const samples = await Promise.race([collect().catch(() => undefined), late])
        if (samples === undefined) return
        this.#lastKnown.set(worker, samples)
        up.add(worker)
      }),
    )
    const states = Array.from({ length: this.#count }, (_, at) =>
      sample('vitrine_worker_up', up.has(at + 1) ? 1 : 0, String(at + 1)),
    )
    return [...states, ...combine(this.#lastKnown)]
  }
}

/** Sums each series over the threads, but for those of which each thread has its own. */
export function combine(threads: ReadonlyMap<number, readonly Sample[]>): Sample[] {
  const combined = new Map<string, Sample>()
  for (const [worker, samples] of threads)
    for (const { metric, labels, value } of samples) {
      const own = definitionOf(metric).workers === 'each' ? [...labels, String(worker)] : labels
      const id = JSON.stringify([metric, own])
      const other = combined.get(id)
      combined.set(id, { metric, labels: own, value: other === undefined ? value : sum(other.value, value) })
    }
  return [...combined.values()]
}

function sum(one: number | HistogramValue, other: number | HistogramValue): number | HistogramValue {
  if (typeof one === 'number' || typeof other === 'number') return Number(one) + Number(other)
  return { counts: one.counts.map((count, at) => count + (other.counts[at] ?? 0)), sum: one.sum + other.sum }
}
