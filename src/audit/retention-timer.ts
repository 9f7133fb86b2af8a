import { setTimeout as delay } from 'node:timers/promises'
import type { OperatorStore } from '../database/store.ts'
import { type Pruned, pruneAudit } from './retention.ts'

/** Once the server answers requests. */
const FIRST_AFTER_MS = 1000
/** Each removal is an entry itself: one a day and workspace at most. */
const EVERY_MS = 86_400_000
const MIN_PAUSE_MS = 5

interface Listener {
  onPruned(pruned: Pruned): void
  onFailure(error: unknown): void
}

/** Removes old audit entries once a day, in the background, a few at a time. */
export class RetentionTimer {
  readonly #store: OperatorStore
  readonly #retentionMs: number
  readonly #listener: Listener
  readonly #stopping = new AbortController()
  #timer: NodeJS.Timeout
  #run: Promise<void> = Promise.resolve()

  constructor(store: OperatorStore, retentionMs: number, listener: Listener) {
    this.#store = store
    this.#retentionMs = retentionMs
    this.#listener = listener
    this.#timer = this.#schedule(FIRST_AFTER_MS)
  }

  #schedule(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#run = this.#prune()
      this.#timer = this.#schedule(EVERY_MS)
    }, ms).unref()
  }

  async #prune(): Promise<void> {
    const { signal } = this.#stopping
    try {
      const results = await pruneAudit(this.#store, this.#retentionMs, {
        // As much time again is left to others.
        pause: (tookMs) => delay(Math.max(MIN_PAUSE_MS, tookMs), undefined, { signal }).catch(() => {}),
        isStopped: () => signal.aborted,
      })
      results.forEach(this.#listener.onPruned)
    } catch (error) {
      this.#listener.onFailure(error)
    }
  }

  /** Resolves when the batch under way is written; the rest is removed another time. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    clearTimeout(this.#timer)
    await this.#run
  }
}
