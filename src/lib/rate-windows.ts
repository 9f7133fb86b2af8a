import { Lru } from './lru.ts'

export interface Quota {
  limit: number
  windowSeconds: number
}

/** The state of a window after the current request was counted. */
export interface QuotaWindow {
  used: number
  resetsAt: number
}

/**
 * A window that ends this much later than a new one would is replaced by that: the quota's window has been shortened, or the clock was
 * set back. Not merely later: PostgreSQL counts by the same rule, and there another statement may have opened it while this one
 * waited, for two seconds at most.
 */
export const LATER_SECONDS = 10

/** A window takes about 250 bytes, so at most 32 MB. */
const MAX_WINDOWS = 125_000

interface Window extends QuotaWindow {
  openedAt: number
}

/**
 * Counts requests in fixed windows. A window opens with the first request that finds none open; when it ends, the whole quota
 * is available again.
 *
 * Strangers can open windows too, such as those that limit sign-ins by network. A window is forgotten only after more than
 * 100,000 other ids have been counted since its last request. Its id then starts over, which is better than not counting the others.
 */
export class RateWindows {
  readonly #windows = new Lru<Window>(MAX_WINDOWS)

  count(id: string, quota: Quota, now: number): QuotaWindow {
    let window = this.#openWindow(id, quota, now)
    if (window === undefined) {
      window = { used: 0, openedAt: now, resetsAt: now + quota.windowSeconds * 1000 }
      this.#windows.set(id, window)
    }
    window.used++
    return { used: window.used, resetsAt: window.resetsAt }
  }

  /** Returns the open window, without counting; undefined if none is open. */
  peek(id: string, quota: Quota, now: number): QuotaWindow | undefined {
    const window = this.#openWindow(id, quota, now)
    return window && { used: window.used, resetsAt: window.resetsAt }
  }

  #openWindow(id: string, { windowSeconds }: Quota, now: number): Window | undefined {
    const window = this.#windows.get(id)
    if (window === undefined) return undefined
    const isTooLong = window.resetsAt > now + (windowSeconds + LATER_SECONDS) * 1000
    return now >= window.openedAt && now < window.resetsAt && !isTooLong ? window : undefined
  }
}
