import type { Quota, QuotaWindow } from './store.ts'

/**
 * Counts requests in fixed windows, in this process. A window opens with the first request that meets none, and its
 * end gives the whole quota back. Counting is one synchronous step, so no two requests can take the same place.
 */
export class FixedWindows {
  readonly #windows = new Map<string, { openedAt: number; used: number }>()
  #sweepAt = 1024

  count(id: string, quota: Quota, now: number): QuotaWindow {
    const lengthMs = quota.windowSeconds * 1000
    let window = this.#windows.get(id)
    if (window === undefined || now >= window.openedAt + lengthMs || now < window.openedAt) {
      window = { openedAt: now, used: 0 }
      this.#windows.set(id, window)
      if (this.#windows.size > this.#sweepAt) this.#sweep(now)
    }
    // Refused requests are not added up: the count need only tell "over".
    if (window.used <= quota.limit) window.used++
    return { used: window.used, resetsAt: window.openedAt + lengthMs }
  }

  /** Forgets windows older than any quota's, so that memory follows the keys in use, not all keys ever seen. */
  #sweep(now: number): void {
    for (const [id, window] of this.#windows) {
      if (window.openedAt + MAX_WINDOW_MS <= now) this.#windows.delete(id)
    }
    this.#sweepAt = Math.max(1024, this.#windows.size * 2)
  }
}

export const MAX_WINDOW_SECONDS = 86_400
const MAX_WINDOW_MS = MAX_WINDOW_SECONDS * 1000
