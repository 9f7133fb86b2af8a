import { setTimeout as delay } from 'node:timers/promises'
import { type Pruned, pruneAudit } from '../audit/retention.ts'
import { endedBefore, type TrustedTime, trustedTime } from '../audit/trusted-time.ts'
import type { OperatorStore } from '../database/store.ts'
import { type Purged, purgeKeys } from './purge.ts'

/** Once the server answers requests. */
const FIRST_AFTER_MS = 1000
/** Each removal is an entry itself: one a day and workspace at most. */
const EVERY_MS = 86_400_000
const MIN_PAUSE_MS = 5

/** How long each is stored; 0: for ever. */
interface Retention {
  auditRetentionMs: number
  keyRetentionMs: number
}

interface Listener {
  onPruned(pruned: Pruned): void
  onPurged(purged: Purged): void
  /** The clock is not trusted: what is old is judged by an earlier time. */
  onClockAhead(time: TrustedTime): void
  onFailure(what: keyof Retention, error: unknown): void
}

/** Removes old audit entries, and keys that ended long ago, once a day, in the background, a few at a time. */
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
      // As much time again is left to others.
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

  /** Resolves when the batch under way is written; the rest is removed another time. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    await this.#run
  }
}
