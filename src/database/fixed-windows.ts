import type { Quota, QuotaWindow, Windows } from './store.ts'

/**
 * Counts requests in fixed windows, in this thread. A window opens with the first request that finds none, and its end
 * restores the whole quota. Counting is one synchronous step, so no two requests get the same place.
 */
export class FixedWindows implements Windows {
  readonly #windows = new Map<string, QuotaWindow & { openedAt: number }>()
  readonly #max: number
  #sweepAt = 1024

  /** Beyond `max` the oldest window is dropped. Keys are bounded by the database; addresses are not. */
  constructor(max = Number.POSITIVE_INFINITY) {
    this.#max = max
  }

  count(id: string, quota: Quota, now: number): QuotaWindow {
    let window = this.#windows.get(id)
    // A window from the future means that the clock was set back.
    if (window === undefined || now >= window.resetsAt || now < window.openedAt) {
      window = { used: 0, openedAt: now, resetsAt: now + quota.windowSeconds * 1000 }
      this.#windows.delete(id)
      this.#windows.set(id, window)
      if (this.#windows.size > this.#max) this.#dropOldest()
      else if (this.#windows.size > this.#sweepAt) this.#sweep(now)
    }
    window.used++
    return { used: window.used, resetsAt: window.resetsAt }
  }

  peek(id: string, now: number): QuotaWindow | undefined {
    const window = this.#windows.get(id)
    if (window === undefined || now >= window.resetsAt || now < window.openedAt) return undefined
    return { used: window.used, resetsAt: window.resetsAt }
  }

  #dropOldest(): void {
    const [first] = this.#windows.keys()
    if (first !== undefined) this.#windows.delete(first)
  }

  /** Drops windows that have ended, so that memory follows the keys in use, not all keys ever seen. */
  #sweep(now: number): void {
    for (const [id, { resetsAt }] of this.#windows) if (resetsAt <= now) this.#windows.delete(id)
    this.#sweepAt = Math.max(1024, this.#windows.size * 2)
  }
}
