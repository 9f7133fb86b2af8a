import { metrics } from './catalogue.ts'
import { Histogram, type Sample, sample } from './collect.ts'

const SAMPLE_EVERY_MS = 100
/** After a minute, as of a suspended machine, the length of a pause no longer matters. */
const MAX_SAMPLES_AT_ONCE = 600

/** How late this thread's event loop is, as a request that arrives at that time would find it. */
export class EventLoopMetrics {
  readonly #delays = new Histogram(metrics.vitrine_event_loop_delay_seconds.bounds)
  #dueAt = performance.now() + SAMPLE_EVERY_MS

  constructor() {
    setInterval(() => this.#sample(performance.now()), SAMPLE_EVERY_MS).unref()
  }

  /** A long delay stands for all samples that were due meanwhile, or a stall would count as one bad sample among many good. */
  #sample(now: number): void {
    const lateMs = Math.max(0, now - this.#dueAt)
    const missed = Math.min(Math.floor(lateMs / SAMPLE_EVERY_MS), MAX_SAMPLES_AT_ONCE)
    for (let i = 0; i <= missed; i++) this.#delays.observe((lateMs - i * SAMPLE_EVERY_MS) / 1000)
    this.#dueAt = now + SAMPLE_EVERY_MS
  }

  samples(): Sample[] {
    return [
      sample('vitrine_event_loop_delay_seconds', this.#delays.value),
      sample('vitrine_event_loop_active_seconds_total', performance.eventLoopUtilization().active / 1000),
    ]
  }
}
