import type { Occupancy } from '../lib/fair-share.ts'
import { storeBusy } from './errors.ts'
import { Slots } from './slots.ts'

/** Each transaction takes a few milliseconds, so the last one waits for about a second. People do not wait longer. */
const MAX_WAITING = 200

/** People give up on a page that takes longer. */
export const PATIENCE_MS = 5000

/** Runs one transaction at a time on a connection. */
export class TransactionQueue {
  readonly #patienceMs: number
  readonly #tooLate: Error
  readonly #slots = new Slots({ total: 1, each: 1, waiting: MAX_WAITING })

  /** Throws `tooLate` for a transaction that has waited longer than `patienceMs`. */
  constructor(patienceMs = Number.POSITIVE_INFINITY, tooLate: Error = storeBusy) {
    this.#patienceMs = patienceMs
    this.#tooLate = tooLate
  }

  get occupancy(): Occupancy {
    return { current: this.#slots.waiting, limit: MAX_WAITING }
  }

  /** Skips work whose client has disconnected by the time its turn comes. Never interrupts work that has begun. */
  run<T>(work: () => Promise<T>, isGone: () => boolean = () => false): Promise<T> {
    const since = performance.now()
    return this.#slots.run('', async () => {
      if (isGone() || performance.now() - since > this.#patienceMs) throw this.#tooLate
      return work()
    })
  }
}
