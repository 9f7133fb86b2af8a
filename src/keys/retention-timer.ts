import { setTimeout as delay } from 'node:timers/promises'
import { type Pruned, pruneAudit } from '../audit/retention.ts'
import { endedBefore, type TrustedTime, trustedTime } from '../audit/trusted-time.ts'
import type { OperatorStore } from '../database/store.ts'
import { DAY_MS } from '../lib/duration.ts'
import { type Purged, purgeKeys } from './purge.ts'

/** Lets the server start serving requests first. */
const FIRST_AFTER_MS = 1000
/** Each removal writes an audit entry, so each workspace gets at most one a day. */
const EVERY_MS = DAY_MS
const MIN_PAUSE_MS = 5

/** 0 means forever. */
interface Retention {
  auditRetentionMs: number
  keyRetentionMs: number
}

interface Listener {
  onPruned(pruned: Pruned): void
  onPurged(purged: Purged): void
  /** Called when the clock is not trusted, so ages are computed from an earlier time. */
  onClockAhead(time: TrustedTime): void
  onFailure(what: keyof Retention, error: unknown): void
}

export class RetentionTimer {
  readonly #store: OperatorStore
  readonly #retention: Retention
  readonly #listener: Listener
  readonly #stopping = new AbortController()
  #timer: NodeJS.Timeout
  #run: Promise<void> = Promise.resolve()

  constructor(store: OperatorStore, retention: Retention, listener: Listener) {
    this.#store = store
    this.#retention = retention
    this.#listener = listener
    this.#timer = this.#schedule(FIRST_AFTER_MS)
  }

  #schedule(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#run = this.#prune().finally(() => {
        if (!this.#stopping.signal.aborted) this.#timer = this.#schedule(EVERY_MS)
      })
    }, ms).unref()
  }

  async #prune(): Promise<void> {
    const { signal } = this.#stopping
    const pace = {
      // Leaves as much time for other work.
      pause: (tookMs: number) => delay(Math.max(MIN_PAUSE_MS, tookMs), undefined, { signal }).catch(() => {}),
      isStopped: () => signal.aborted,
    }
    const attempt = async (what: keyof Retention, remove: (time: TrustedTime, ageMs: number) => Promise<void>) => {
      const ageMs = this.#retention[what]
      if (ageMs === 0 || signal.aborted) return
      try {
        const time = await this.#store.read(trustedTime)
        if (time.aheadMs > 0) this.#listener.onClockAhead(time)
        await remove(time, ageMs)
      } catch (error) {
        this.#listener.onFailure(what, error)
      }
    }
    await attempt('auditRetentionMs', async ({ ms }, ageMs) =>
      (await pruneAudit(this.#store, ms - ageMs, pace)).forEach(this.#listener.onPruned),
    )
    await attempt('keyRetentionMs', async (time, ageMs) =>
      (await purgeKeys(this.#store, endedBefore(time, ageMs), 'retention', pace)).forEach(this.#listener.onPurged),
    )
  }

  /** Resolves when the current batch is written. The next run removes the rest. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    await this.#run
  }
}
