import type { Occupancy } from '../lib/fair-share.ts'
import { storeBusy } from './errors.ts'

/**
 * Transactions that wait for their turn. A page needs two or three of some milliseconds each, so the last one waits for
 * about a second; with more, people would have given up.
 */
const MAX_WAITING = 200

/** The longest wait beside a server, however slow the database is: people no longer look at a page that comes later. */
export const PATIENCE_MS = 5000

/** One connection runs one transaction at a time: each waits until the one before it has settled. */
export class TransactionQueue {
  readonly #patienceMs: number
  readonly #tooLate: Error
  /** The one under way, and those that wait. */
  #unsettled = 0
  #last: Promise<unknown> = Promise.resolve()

  /** `tooLate` is thrown where a transaction has waited longer than the patience allows. */
  constructor(patienceMs = Number.POSITIVE_INFINITY, tooLate: Error = storeBusy) {
    this.#patienceMs = patienceMs
    this.#tooLate = tooLate
  }

  get occupancy(): Occupancy {
    return { current: Math.max(0, this.#unsettled - 1), limit: MAX_WAITING }
  }

  /** Skips work whose client is gone by the time its turn comes. Never stops work that has begun. */
  run<T>(work: () => Promise<T>, isGone: () => boolean = () => false): Promise<T> {
    if (this.#unsettled > MAX_WAITING) return Promise.reject(storeBusy)
    this.#unsettled++
    const since = performance.now()
    const turn = this.#last.then(() => {
      if (isGone() || performance.now() - since > this.#patienceMs) throw this.#tooLate
      return work()
    })
    const settle = () => {
      this.#unsettled--
    }
    this.#last = turn.then(settle, settle)
    return turn
  }
}
