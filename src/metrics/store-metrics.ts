import type { PublicStore } from '../database/store.ts'
import { boundsOf } from './catalogue.ts'
import { Histogram, type Sample, sample } from './collect.ts'

function createCall() {
  const durations = new Histogram(boundsOf('vitrine_store_call_duration_seconds'))
  let errors = 0
  return {
    async time<T>(work: () => Promise<T>): Promise<T> {
      const startedAt = performance.now()
      try {
        return await work()
      } catch (error) {
        errors++
        throw error
      } finally {
        durations.observe((performance.now() - startedAt) / 1000)
      }
    },
    samples: (name: string): Sample[] => [
      sample('vitrine_store_call_duration_seconds', durations.value, name),
      sample('vitrine_store_call_errors_total', errors, name),
    ],
  }
}

/** Wraps the store and measures its calls. */
export function measureStore(store: PublicStore): { store: PublicStore; samples(): Sample[] } {
  const calls = { admit: createCall(), recheck: createCall(), read: createCall(), quota: createCall() }
  const { admit, recheck, read, quota } = calls
  return {
    store: {
      admit: (...key) => admit.time(() => store.admit(...key)),
      recheck: (...key) => recheck.time(() => store.recheck(...key)),
      quotaInUse: (...key) => quota.time(() => store.quotaInUse(...key)),
      snapshot: (workspaceId, work) => read.time(() => store.snapshot(workspaceId, work)),
      rows: (...statement) => read.time(() => store.rows(...statement)),
      utf8Of: (text) => store.utf8Of(text),
      recordRequest: (...record) => store.recordRequest(...record),
      recordLeak: (...record) => store.recordLeak(...record),
      ping: () => store.ping(),
      check: () => store.check(),
      stats: () => store.stats(),
      close: (waitMs) => store.close(waitMs),
    },
    samples: () => Object.entries(calls).flatMap(([name, call]) => call.samples(name)),
  }
}
