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
  #figures: Promise<SourceFigures | undefined> | undefined
  #errors = 0

  constructor(store: PublicStore) {
    this.#store = store
  }

  async samples(): Promise<Sample[]> {
    // A database that hangs is not asked again before it has responded or failed.
    this.#figures ??= this.#read().finally(() => {
      setTimeout(() => {
        this.#figures = undefined
      }, FRESH_MS).unref()
    })
    const figures = await Promise.race([this.#figures, delay(READ_TIMEOUT_MS, undefined, { ref: false })])
    if (figures === undefined) this.#errors++
    const oldestSuccessMs = figures?.oldestSuccessMs
    return [
      ...Object.entries(figures?.states ?? {}).map(([state, count]) => sample('vitrine_sync_sources', count, state)),
      ...(oldestSuccessMs === undefined
        ? []
        : [sample('vitrine_sync_oldest_success_timestamp_seconds', oldestSuccessMs / 1000)]),
      sample('vitrine_metrics_database_errors_total', this.#errors),
    ]
  }

  /** Undefined if the database fails: the requests that fail with it are logged, and a metric counts this. */
  async #read(): Promise<SourceFigures | undefined> {
    try {
      this.#store.check()
      return await this.#store.reader(sourceFigures)({ workspaceId: '', now: Date.now() }, undefined)
    } catch {
      return undefined
    }
  }
}
