import type { Occupancy } from '../lib/fair-share.ts'
import { storeBusy } from './errors.ts'

/** Each takes some milliseconds, so the last waits for about a second; with more, people would have given up. */
const MAX_WAITING = 200

/** People no longer look at a page that takes longer. */
export const PATIENCE_MS = 5000

/** One connection runs one transaction at a time: each waits until the one before it has settled. */
export class TransactionQueue {
  readonly #patienceMs: number
  readonly #tooLate: Error
  /** Those waiting, and the one under way. */
  #unsettled = 0
  #last: Promise<unknown> = Promise.resolve()

  /** `tooLate` is thrown if a transaction has waited longer than the patience. */
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
