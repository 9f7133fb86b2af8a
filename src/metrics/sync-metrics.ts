import { setTimeout as delay } from 'node:timers/promises'
import type { PublicStore } from '../database/store.ts'
import { type SourceStats, sourceStats } from '../import/source-state.ts'
import { type Sample, sample } from './collect.ts'

/** The database is read at most this often, regardless of the scrape rate. */
const FRESH_MS = 5000
/** Well below the ten seconds that Prometheus waits for a scrape by default. */
const READ_TIMEOUT_MS = 1000

/** Syncs run in other processes, so their results are read from the database. */
export function syncMetrics(store: PublicStore): () => Promise<Sample[]> {
  let pending: Promise<SourceStats | undefined> | undefined
  let errors = 0

  /** Failures are not logged here: a metric counts them, and failing requests are logged anyway. */
  async function read(): Promise<SourceStats | undefined> {
    try {
      return await sourceStats(store, Date.now())
    } catch {
      return undefined
    }
  }

  return async () => {
    // A hanging database is not queried again until it responds or fails.
    pending ??= read().finally(() => {
      setTimeout(() => {
        pending = undefined
      }, FRESH_MS).unref()
    })
    const stats = await Promise.race([pending, delay(READ_TIMEOUT_MS, undefined, { ref: false })])
    if (stats === undefined) errors++
    const oldestSuccessMs = stats?.oldestSuccessMs
    return [
      ...Object.entries(stats?.states ?? {}).map(([state, count]) => sample('vitrine_sync_sources', count, state)),
      ...(oldestSuccessMs === undefined
        ? []
        : [sample('vitrine_sync_oldest_success_timestamp_seconds', oldestSuccessMs / 1000)]),
      sample('vitrine_metrics_database_errors_total', errors),
    ]
  }
}
