import type { PublicStore } from '../database/store.ts'
import { boundsOf } from './catalogue.ts'
import { Histogram, type Sample, sample } from './collect.ts'

class Call {
  readonly durations = new Histogram(boundsOf('vitrine_store_call_duration_seconds'))
  errors = 0

  end(startedAt: number, errors = 0): void {
    this.durations.observe((performance.now() - startedAt) / 1000)
    this.errors += errors
  }

  /** Returns the same promise. Arguments are evaluated in order, so the clock is read before the call starts. */
  follow<T>(startedAt: number, response: Promise<T>): Promise<T> {
    response.then(
      () => this.end(startedAt),
      () => this.end(startedAt, 1),
    )
    return response
  }
}

export class StoreMetrics {
  readonly #calls = { admit: new Call(), recheck: new Call(), read: new Call(), quota: new Call() }

  measured(store: PublicStore): PublicStore {
    const { admit, recheck, read, quota } = this.#calls
    return {
      admit(keyHash, defaultQuota, tick, address) {
        const startedAt = performance.now()
        try {
          const found = store.admit(keyHash, defaultQuota, tick, address)
          if (found instanceof Promise) return admit.follow(startedAt, found)
          admit.end(startedAt)
          return found
        } catch (error) {
          admit.end(startedAt, 1)
          throw error
        }
      },
      recheck: (keyHash, address) => recheck.follow(performance.now(), store.recheck(keyHash, address)),
      quotaInUse: (keyId, keyQuota) => quota.follow(performance.now(), store.quotaInUse(keyId, keyQuota)),
      reader: (queries) => (viewpoint, args) => read.follow(performance.now(), store.reader(queries)(viewpoint, args)),
      recordUse: (keyId, now, request) => store.recordUse(keyId, now, request),
      recordIncident: (report, caller, request) => store.recordIncident(report, caller, request),
      ping: () => store.ping(),
      check: () => store.check(),
      stats: () => store.stats(),
      close: (waitMs) => store.close(waitMs),
    }
  }

  samples(): Sample[] {
    return Object.entries(this.#calls).flatMap(([name, { durations, errors }]) => [
      sample('vitrine_store_call_duration_seconds', durations.value, name),
      sample('vitrine_store_call_errors_total', errors, name),
    ])
  }
}
