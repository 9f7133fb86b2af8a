import { storeBusy } from './errors.ts'

/**
 * Transactions that wait for their turn. A page takes two or three of some milliseconds each, so whoever is last waits for
 * about a second; more would wait for longer than people do.
 */
const MAX_WAITING = 200

/** Beside a server nobody waits longer, however slow the database is: a page that comes later is no longer looked at. */
export const PATIENCE_MS = 5000

interface Waiting {
  start(): Promise<void>
  giveUp(): void
  isGone: () => boolean
  since: number
}

const NEVER = () => false

/** One connection holds one transaction at a time: each waits for the last to settle. */
export class TransactionQueue {
  #waiting: Waiting[] = []
  #isBusy = false
  readonly #patienceMs: number

  constructor(patienceMs = Number.POSITIVE_INFINITY) {
    this.#patienceMs = patienceMs
  }

  /** Work that nobody waits for any more by the time its turn comes is not done. Work is never given up once it began. */
  run<T>(work: () => Promise<T>, isGone: () => boolean = NEVER): Promise<T> {
    if (this.#waiting.length >= MAX_WAITING) this.#dropGone()
    if (this.#waiting.length >= MAX_WAITING) return Promise.reject(storeBusy)
    return new Promise((resolve, reject) => {
      const start = () => work().then(resolve, reject)
      this.#waiting.push({ start, giveUp: () => reject(storeBusy), isGone, since: performance.now() })
      if (!this.#isBusy) void this.#drain()
    })
  }

  #dropGone(): void {
    const { gone = [], there = [] } = Object.groupBy(this.#waiting, ({ isGone }) => (isGone() ? 'gone' : 'there'))
    this.#waiting = there
    for (const { giveUp } of gone) giveUp()
  }

  async #drain(): Promise<void> {
    this.#isBusy = true
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      if (next.isGone() || performance.now() - next.since > this.#patienceMs) next.giveUp()
      else await next.start()
    this.#isBusy = false
  }
}
