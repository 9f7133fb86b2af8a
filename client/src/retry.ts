import { VitrineNetworkError, VitrineResponseError } from './errors.ts'

/** Doubled with each attempt. */
const FIRST_BACKOFF_MS = 250

/** How long to wait before the same GET is retried; Infinity if retrying would not help. */
export function waitBeforeRetry(error: unknown, attempt: number): number {
  if (error instanceof VitrineResponseError) {
    if (error.retryAfterSeconds !== undefined) return error.retryAfterSeconds * 1000
    // Proxies return these while a server restarts.
    if (![502, 503, 504].includes(error.status)) return Number.POSITIVE_INFINITY
  } else if (!(error instanceof VitrineNetworkError) || error.timedOut) return Number.POSITIVE_INFINITY
  // Random, so that scripts that failed at the same moment do not retry at the same moment.
  return FIRST_BACKOFF_MS * 2 ** (attempt - 1) * (0.5 + Math.random())
}

/** Seconds or a date (RFC 9110, section 10.2.3), on the two statuses that mean "later". */
export function retryAfterSeconds({ status, headers }: Response): number | undefined {
  const value = headers.get('retry-after')
  if (value === null || (status !== 429 && status !== 503)) return undefined
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}
