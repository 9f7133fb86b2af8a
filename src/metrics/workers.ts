import { setTimeout as delay } from 'node:timers/promises'
import { metrics } from './catalogue.ts'
import { type Collect, type Collector, type HistogramValue, type Sample, sample } from './collect.ts'

/** Prometheus' default scrape timeout is ten seconds. A thread that hangs for longer than this counts as down. */
const COLLECT_TIMEOUT_MS = 2000

export function collectFrom(collectors: () => Collector[], count: number): Collect {
  /** Prometheus treats a falling counter as a restart, so a late thread keeps its last values. */
  const lastKnown = new Map<number, readonly Sample[]>()
  return async () => {
    const late = delay(COLLECT_TIMEOUT_MS, undefined, { ref: false })
    const up = new Set<number>()
    const collected = collectors().map(async ({ worker, collect }) => {
      const samples = await Promise.race([collect().catch(() => undefined), late])
      if (samples === undefined) return
      lastKnown.set(worker, samples)
      up.add(worker)
    })
    await Promise.all(collected)
    const workers = Array.from({ length: count }, (_, at) => at + 1)
    return [
      ...workers.map((worker) => sample('vitrine_worker_up', up.has(worker) ? 1 : 0, String(worker))),
      ...combine(lastKnown),
    ]
  }
}

/** Sums each series over all threads, except for per-thread series. */
export function combine(threads: ReadonlyMap<number, readonly Sample[]>): Sample[] {
  const combined = new Map<string, Sample>()
  for (const [worker, samples] of threads)
    for (const { metric, labels, value } of samples) {
      const own = metrics[metric].workers === 'each' ? [...labels, String(worker)] : labels
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
