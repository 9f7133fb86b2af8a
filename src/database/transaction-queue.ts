import type { Occupancy } from '../lib/fair-share.ts'
import { storeBusy } from './errors.ts'

/** Each transaction takes a few milliseconds, so the last one waits for about a second. People do not wait longer. */
const MAX_WAITING = 200

/** People give up on a page that takes longer. */
export const PATIENCE_MS = 5000

/** Runs one transaction at a time on a connection: each waits until the previous one has settled. */
export class TransactionQueue {
  readonly #patienceMs: number
  readonly #tooLate: Error
  #unsettled = 0
  #last: Promise<unknown> = Promise.resolve()

  /** Throws `tooLate` for a transaction that has waited longer than `patienceMs`. */
  constructor(patienceMs = Number.POSITIVE_INFINITY, tooLate: Error = storeBusy) {
    this.#patienceMs = patienceMs
    this.#tooLate = tooLate
  }

  get occupancy(): Occupancy {
    return { current: Math.max(0, this.#unsettled - 1), limit: MAX_WAITING }
  }

  /** Skips work whose client has disconnected by the time its turn comes. Never interrupts work that has begun. */
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
