import type { Occupancy } from '../lib/fair-share.ts'
import { storeBusy } from './errors.ts'

/**
 * Transactions that wait for their turn. A page needs two or three of some milliseconds each, so the last one waits for
 * about a second; with more, people would have given up.
 */
const MAX_WAITING = 200

/** The longest wait beside a server, however slow the database is: people no longer look at a page that comes later. */
export const PATIENCE_MS = 5000

interface Waiting {
  start(): Promise<void>
  giveUp(): void
  isGone: () => boolean
  since: number
}

const NEVER = () => false

/** One connection runs one transaction at a time: each waits until the one before it has settled. */
export class TransactionQueue {
  readonly #waiting: Waiting[] = []
  #isBusy = false
  readonly #patienceMs: number
  readonly #tooLate: Error

  /** `tooLate` says why, where a transaction has waited longer than the patience allows. */
  constructor(patienceMs = Number.POSITIVE_INFINITY, tooLate: Error = storeBusy) {
    this.#patienceMs = patienceMs
    this.#tooLate = tooLate
  }

  get occupancy(): Occupancy {
    return { current: this.#waiting.length, limit: MAX_WAITING }
  }

  /** Skips work whose client is gone by the time its turn comes. Never stops work that has begun. */
  run<T>(work: () => Promise<T>, isGone: () => boolean = NEVER): Promise<T> {
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(storeBusy)
    return new Promise((resolve, reject) => {
      const start = () => work().then(resolve, reject)
      this.#waiting.push({ start, giveUp: () => reject(this.#tooLate), isGone, since: performance.now() })
      if (!this.#isBusy) void this.#drain()
    })
  }

  async #drain(): Promise<void> {
    this.#isBusy = true
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      if (next.isGone() || performance.now() - next.since > this.#patienceMs) next.giveUp()
      else await next.start()
    this.#isBusy = false
  }
}
