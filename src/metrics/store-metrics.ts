import type { Read } from '../database/queries.ts'
import type { PublicStore } from '../database/store.ts'
import { metrics } from './catalogue.ts'
import { type Sample, sample } from './collect.ts'
import { Histogram } from './histogram.ts'

class Call {
  readonly durations = new Histogram(metrics.vitrine_store_call_duration_seconds.bounds)
  errors = 0

  end(startedAt: number): void {
    this.durations.observe((performance.now() - startedAt) / 1000)
  }

  fail(startedAt: number): void {
    this.errors++
    this.end(startedAt)
  }

  /** Whoever asked gets the same promise: nobody waits for the measurement. The time comes first, as it is read first. */
  follow<T>(startedAt: number, response: Promise<T>): Promise<T> {
    response.then(
      () => this.end(startedAt),
      () => this.fail(startedAt),
    )
    return response
  }
}

/** How long public requests wait for the database. */
export class StoreMetrics {
  readonly #calls = { admit: new Call(), recheck: new Call(), read: new Call(), quota: new Call() }

  /** The same store, with its calls measured. */
  measured(store: PublicStore): PublicStore {
    const { admit, recheck, read, quota } = this.#calls
    const readers = new Map<unknown, Read<never, unknown>>()
    return {
      admit(keyHash, defaultQuota, tick) {
        const startedAt = performance.now()
        try {
          const found = store.admit(keyHash, defaultQuota, tick)
          if (found instanceof Promise) return admit.follow(startedAt, found)
          admit.end(startedAt)
          return found
        } catch (error) {
          admit.fail(startedAt)
          throw error
        }
      },
      recheck: (keyHash) => recheck.follow(performance.now(), store.recheck(keyHash)),
      quotaInUse: (keyId, keyQuota) => quota.follow(performance.now(), store.quotaInUse(keyId, keyQuota)),
      timezoneOf: (workspaceId) => read.follow(performance.now(), store.timezoneOf(workspaceId)),
      reader<Args, HttpResponse>(
        queries: Parameters<typeof store.reader<Args, HttpResponse>>[0],
      ): Read<Args, HttpResponse> {
        const known = readers.get(queries) as Read<Args, HttpResponse> | undefined
        if (known !== undefined) return known
        const inner = store.reader(queries)
        const reader: Read<Args, HttpResponse> = (viewpoint, args) =>
          read.follow(performance.now(), inner(viewpoint, args))
        readers.set(queries, reader)
        return reader
      },
      recordUse: (keyId, now, caller, refused) => store.recordUse(keyId, now, caller, refused),
      recordIncident: (report, caller) => store.recordIncident(report, caller),
      ping: () => store.ping(),
      check: () => store.check(),
      figures: () => store.figures(),
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
