import { setTimeout as delay } from 'node:timers/promises'
import type { PublicStore } from '../database/store.ts'
import { type SourceFigures, sourceFigures } from '../import/source-state.ts'
import { type Sample, sample } from './collect.ts'

/** However often it is scraped, the database is read once in this time. */
const FRESH_MS = 5000
/** Less than a scrape waits for a thread. */
const READ_TIMEOUT_MS = 1000

/** Results of syncs are in the database: other processes wrote them. */
export class SyncMetrics {
  readonly #store: PublicStore
  #read: { startedAt: number; figures: Promise<SourceFigures | undefined> } | undefined
  #isReading = false
  #errors = 0

  constructor(store: PublicStore) {
    this.#store = store
  }

  async samples(): Promise<Sample[]> {
    // A timer that does not keep the program running needs no clearing.
    const late = delay(READ_TIMEOUT_MS, undefined, { ref: false })
    const figures = await Promise.race([this.#recent(), late])
    if (figures === undefined) this.#errors++
    const errors = sample('vitrine_metrics_database_errors_total', this.#errors)
    if (figures === undefined) return [errors]
    const { states, oldestSuccessMs } = figures
    const samples = Object.entries(states).map(([state, count]) => sample('vitrine_sync_sources', count, state))
    if (oldestSuccessMs !== undefined)
      samples.push(sample('vitrine_sync_oldest_success_timestamp_seconds', oldestSuccessMs / 1000))
    return [...samples, errors]
  }

  /** One at a time: a database that hangs is not asked again before it has answered or failed. */
  #recent(): Promise<SourceFigures | undefined> {
    if (this.#read !== undefined && (this.#isReading || performance.now() - this.#read.startedAt < FRESH_MS))
      return this.#read.figures
    this.#isReading = true
    const figures = this.#readNow().finally(() => {
      this.#isReading = false
    })
    this.#read = { startedAt: performance.now(), figures }
    return figures
  }

  async #readNow(): Promise<SourceFigures | undefined> {
    try {
      this.#store.check()
      return await this.#store.reader(sourceFigures)({ workspaceId: '', now: Date.now() }, undefined)
    } catch {
      // Requests that fail with it are logged; here it is counted.
      return undefined
    }
  }
}
