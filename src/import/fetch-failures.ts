import { connectionFailureReason } from '../lib/connection-failures.ts'
import { UserError } from '../lib/user-error.ts'
import { shownUrl } from './source-url.ts'

/** Something about the URL, its server or what it sent. The message names the URL without its query. */
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
