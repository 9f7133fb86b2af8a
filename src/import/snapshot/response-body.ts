import type { IncomingMessage } from 'node:http'
import { connectionFailureReason } from '../../lib/connection-failures.ts'
import { HOUR_MS } from '../../lib/duration.ts'
import { formatCount } from '../../lib/format-count.ts'
import { UserError } from '../../lib/user-error.ts'
import { decompressed, MAX_BYTES } from '../format/open-file.ts'
import { shownUrl } from '../sources.ts'

export const FETCH_LIMITS = {
  /** Includes name resolution and the TLS handshake. */
  connectMs: 15_000,
  /** Some servers compute the export on request. */
  responseMs: 120_000,
  stallMs: 60_000,
  /** A server that sends a byte now and then would never stall. */
  totalMs: HOUR_MS,
  /** Both as sent and decompressed. */
  bytes: MAX_BYTES,
}

export type FetchLimits = typeof FETCH_LIMITS

/** What may end a request before its response is complete. */
export interface Bounds {
  limits: FetchLimits
  signal: AbortSignal
}

/** The message shows the URL without its query. */
export class FetchError extends UserError {
  override name = 'FetchError'
  readonly url: URL
  readonly problem: string
  /** How long the server asks to wait. */
  readonly retryAfterMs: number

  constructor(
    url: URL,
    problem: string,
    { retryAfterMs = 0, page, ...options }: ErrorOptions & { retryAfterMs?: number | undefined; page?: string } = {},
  ) {
    super(`${shownUrl(url)}${page === undefined ? '' : `, ${page}`}: ${problem}`, options)
    this.url = url
    this.problem = problem
    this.retryAfterMs = retryAfterMs
  }
}

/** Names the page: its URL is often that of the others, apart from the query. */
export function failureOf(page: string, error: unknown): unknown {
  if (!(error instanceof FetchError)) return error
  const { url, problem, retryAfterMs, cause } = error
  return new FetchError(url, problem, { retryAfterMs, cause, page })
}

/** The caller aborted, the total time ran out, or the connection failed. */
export function explainedFailure(url: URL, error: unknown, { signal, limits }: Bounds): unknown {
  if (signal.aborted)
    return signal.reason?.name === 'TimeoutError'
      ? new FetchError(url, `could not be fetched within ${limits.totalMs / 1000} seconds`)
      : signal.reason
  const { code } = error as { code?: unknown }
  if (error instanceof UserError || typeof code !== 'string') return error
  const reason = connectionFailureReason(code) ?? 'cannot be fetched'
  return new FetchError(url, `${reason} (${code})`, { cause: error })
}

/** Rejects unless the whole body arrived: a truncated snapshot would delete the missing rows. */
export function responseBody(url: URL, response: IncomingMessage, bounds: Bounds): AsyncIterable<Buffer> {
  const { limits, signal } = bounds
  const {
    'content-length': length,
    'transfer-encoding': transfer,
    'content-encoding': encoding = '',
  } = response.headers
  if (Number(length) > limits.bytes) throw tooLarge(url, limits)
  const name = encoding.trim().toLowerCase()
  const body = receivedChunks(url, response, bounds)
  const isAnnounced = length !== undefined || isChunked(transfer)
  if (name === 'identity' || name === '') return isAnnounced ? body : selfContained(url, body)
  if (!isAnnounced) throw endUnknown(url)
  if (name !== 'gzip')
    throw new FetchError(url, 'the snapshot has an unsupported content encoding; have it sent as gzip or uncompressed')
  const fail = (problem: string, cause?: unknown) =>
    signal.aborted
      ? (explainedFailure(url, cause, bounds) as Error)
      : new FetchError(url, `the snapshot ${problem}`, { cause })
  return decompressed(body, limits.bytes, fail)
}

/** Chunked marks the body's end only as the last coding (RFC 9112, section 6.3). */
const isChunked = (transfer = ''): boolean => /(?:^|,)[ \t]*chunked[ \t]*$/i.test(transfer)

const endUnknown = (url: URL) =>
  new FetchError(
    url,
    'the server does not declare the length of the snapshot (no Content-Length, not chunked), so a truncated one could ' +
      'not be detected; have it send either, or a JSON array, or download the file and sync that',
  )

const tooLarge = (url: URL, { bytes }: FetchLimits) =>
  new FetchError(url, `the snapshot is larger than ${formatCount(bytes)} bytes, the limit`)

/** A body that ends with its connection may be partial; only a JSON array shows whether it is complete. */
async function* selfContained(url: URL, body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isArray = false
  for await (const chunk of body) {
    const text: string = isArray ? '' : chunk.toString('latin1').replace(/^(?:\xef\xbb\xbf)?\s*/, '')
    if (text !== '' && !text.startsWith('[')) throw endUnknown(url)
    isArray ||= text !== ''
    yield chunk
  }
}

/** The timer runs only while waiting for the next chunk, not while the previous one is processed. */
async function* receivedChunks(url: URL, response: IncomingMessage, bounds: Bounds): AsyncGenerator<Buffer> {
  const { limits, signal } = bounds
  const chunks = response[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>
  const { stallMs } = limits
  const stalled = () => response.destroy(new FetchError(url, `received no data for ${stallMs / 1000} seconds`))
  let bytes = 0
  const cutShort = (cause?: unknown) => {
    const expected = response.headers['content-length']
    const of = expected === undefined ? '' : ` of ${formatCount(Number(expected))}`
    return new FetchError(url, `the snapshot was truncated after ${formatCount(bytes)}${of} bytes`, { cause })
  }
  try {
    for (;;) {
      const timer = setTimeout(stalled, stallMs)
      const { done, value } = await chunks.next().finally(() => clearTimeout(timer))
      if (done) break
      bytes += value.length
      if (bytes > limits.bytes) throw tooLarge(url, limits)
      yield value
    }
    if (!response.complete) throw cutShort()
  } catch (error) {
    const isReset = !signal.aborted && (error as NodeJS.ErrnoException).code === 'ECONNRESET'
    throw isReset ? cutShort(error) : explainedFailure(url, error, bounds)
  } finally {
    response.destroy()
  }
}
