import type { Quota, QuotaWindow } from '../lib/rate-windows.ts'

const MAX_LIMIT = 1_000_000_000
const MAX_WINDOW_SECONDS = 86_400

/** Parses `<limit>;w=<seconds>`, the form of RateLimit-Policy. */
export function parseQuota(text: string): Quota | undefined {
  const match = /^(\d{1,10});\s*w=(\d{1,5})$/.exec(text.trim())
  if (match === null) return undefined
  const limit = Number(match[1])
  const windowSeconds = Number(match[2])
  if (limit < 1 || limit > MAX_LIMIT || windowSeconds < 1 || windowSeconds > MAX_WINDOW_SECONDS) return undefined
  return { limit, windowSeconds }
}

export const QUOTA_SYNTAX = `must be <limit>;w=<seconds>, such as 600;w=60, with at most ${MAX_WINDOW_SECONDS} seconds`

export const formatQuota = (quota: Quota): string => `${quota.limit};w=${quota.windowSeconds}`

export const isOver = (quota: Quota, window: QuotaWindow): boolean => window.used > quota.limit

export const remaining = (quota: Quota, window: QuotaWindow): number => Math.max(0, quota.limit - window.used)

/** Rounded up. At most a full window, even if another replica opened it after this one read the clock. */
export const secondsToReset = (quota: Quota, window: QuotaWindow, now: number): number =>
  Math.min(quota.windowSeconds, Math.max(1, Math.ceil((window.resetsAt - now) / 1000)))
