import { connectionFailureReason } from '../lib/connection-failures.ts'
import { UserError } from '../lib/user-error.ts'
import { shownUrl } from './source-url.ts'

/** How long a server may take, and how much it may send. */
export const FETCH_LIMITS = {
  /** Until the host is found, the connection is open and its certificate checked. */
  connectMs: 15_000,
  /** Until the head of the response: some exports are computed when they are asked for. */
  responseMs: 120_000,
  /** Between two chunks of the body. */
  stallMs: 60_000,
  /** For all of it: a server that sends a byte now and then would never stall. */
  totalMs: 3_600_000,
  /** Of the body, both as it was sent and decompressed. Three times a million tasks of usual length. */
  bytes: 1024 ** 3,
}

export type FetchLimits = typeof FETCH_LIMITS

/** Something is wrong with the URL, its server or the response. The message names the URL without its query. */
export class FetchError extends UserError {
  override name = 'FetchError'

  constructor(url: URL, problem: string, options?: ErrorOptions) {
    super(`${shownUrl(url)}: ${problem}`, options)
  }
}

/** A failure of the connection, with what to do about it. Others are returned as they are. */
export function explainedFailure(url: URL, error: unknown): unknown {
  const { code } = error as { code?: unknown }
  if (error instanceof UserError || typeof code !== 'string') return error
  const reason = connectionFailureReason(code) ?? 'cannot be fetched'
  return new FetchError(url, `${reason} (${code})`, { cause: error })
}
