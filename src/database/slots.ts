import type { Occupancy } from '../lib/fair-share.ts'
import { storeBusy } from './errors.ts'

interface Limits {
  /** At once. */
  total: number
  /** At once for one holder, so that none takes all slots. */
  each: number
  /** For one holder. */
  waiting: number
  /** What has waited for longer fails with `tooLate` instead of running. */
  patienceMs?: number | undefined
  tooLate?: Error
}

interface RunOptions {
  holder?: string
  isGone?: (() => boolean) | undefined
}

/** Transactions on one connection. Each takes a few milliseconds, so the last one waits for about a second. People do not wait longer. */
export const ONE_AT_A_TIME = { total: 1, each: 1, waiting: 200 }

/** People give up on a page that takes longer. */
export const PATIENCE_MS = 5000

/** Runs slow work, a few pieces at once. Its holders, such as workspaces, take turns. */
export class Slots {
  readonly #limits: Limits
  readonly #running = new Map<string, number>()
  readonly #waiting = new Map<string, (() => void)[]>()
  #total = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  get occupancy(): Occupancy {
    const current = this.#waiting.values().reduce((sum, queue) => sum + queue.length, 0)
    return { current, limit: this.#limits.waiting }
  }

  /** Skips work whose client has disconnected by the time its turn comes. Never interrupts work that has begun. */
  async run<T>(work: () => Promise<T>, { holder = '', isGone = () => false }: RunOptions = {}): Promise<T> {
    const { patienceMs = Number.POSITIVE_INFINITY, tooLate = storeBusy } = this.#limits
    const since = performance.now()
    if (this.#isFree(holder)) this.#take(holder)
    else await this.#wait(holder)
    try {
      if (isGone() || performance.now() - since > patienceMs) throw tooLate
      return await work()
    } finally {
      this.#release(holder)
    }
  }

  #isFree(holder: string): boolean {
    return this.#total < this.#limits.total && (this.#running.get(holder) ?? 0) < this.#limits.each
  }

  #take(holder: string): void {
    this.#total++
    this.#running.set(holder, (this.#running.get(holder) ?? 0) + 1)
  }

  #wait(holder: string): Promise<void> {
    const queue = this.#waiting.get(holder) ?? []
    if (queue.length >= this.#limits.waiting) throw storeBusy
    this.#waiting.set(holder, queue)
    return new Promise((resolve) => queue.push(resolve))
  }

  /** The holder that has waited longest goes next, and then waits behind the others. */
  #release(holder: string): void {
    this.#total--
    const left = (this.#running.get(holder) ?? 0) - 1
    if (left > 0) this.#running.set(holder, left)
    else this.#running.delete(holder)
    for (const [next, queue] of this.#waiting) {
      if (!this.#isFree(next)) continue
      const start = queue.shift()
      this.#waiting.delete(next)
      if (queue.length > 0) this.#waiting.set(next, queue)
      this.#take(next)
      start?.()
      return
    }
  }
}
