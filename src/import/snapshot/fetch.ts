import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { sendRequest } from '../../lib/http-client.ts'
import { STATUS_CODES } from '../../lib/node-http.ts'
import { version } from '../../version.ts'
import { shownUrl } from '../sources.ts'
import {
  type Bounds,
  explainedFailure,
  FETCH_LIMITS,
  FetchError,
  type FetchLimits,
  responseBody,
} from './response-body.ts'

export interface Snapshot {
  /** The connection is closed when iteration ends, even if it stops early. */
  chunks: AsyncIterable<Buffer>
  /** After redirects. */
  url: URL
  /** Whether all requests so far went to the origin that may see the credentials. */
  isTrusted: boolean
  /** The next page, if a Link header names one. */
  next: URL | undefined
}

export interface SnapshotOptions {
  /** A JSON body; the request is then a POST. */
  body?: string | undefined
  /** Headers that only the URL's origin may see. */
  credentials?: Readonly<Record<string, string>>
  /** False if another origin led here; then the credentials are not sent. */
  isTrusted?: boolean
  limits?: FetchLimits
  /** Ends the request. Without it, the limit is the total time. */
  signal?: AbortSignal
}

/** Rejects unless the snapshot is complete, which may become clear only while its chunks are read. */
export async function fetchSnapshot(first: URL, options: SnapshotOptions = {}): Promise<Snapshot> {
  const { credentials = {}, limits = FETCH_LIMITS, signal = AbortSignal.timeout(limits.totalMs) } = options
  const bounds = { limits, signal }
  const { response, url, isTrusted } = await followRedirects(first, options, bounds)
  // The response may fail before its body is read.
  response.on('error', () => {})
  try {
    if (response.statusCode !== 200)
      throw new FetchError(url, statusProblem(response, Object.keys(credentials).length > 0, isTrusted), {
        retryAfterMs: retryAfterOf(response.headers),
      })
    const link = NEXT_LINK.exec([response.headers.link].flat().join(', '))?.[1]
    const next = link === undefined ? undefined : urlLedTo(url, link)
    return { chunks: responseBody(url, response, bounds), url, isTrusted, next }
  } catch (error) {
    response.destroy()
    throw error
  }
}

/** Enough for an old URL that redirects to a new host and from there to the export; a loop exceeds it. */
const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]

/** `isTrusted` is true if the credentials were sent to the final URL. */
async function followRedirects(
  first: URL,
  { credentials, body, isTrusted = true }: SnapshotOptions,
  bounds: Bounds,
): Promise<{ response: IncomingMessage; url: URL; isTrusted: boolean }> {
  const headers = {
    'user-agent': `vitrine/${version}`,
    accept: '*/*',
    'accept-encoding': 'gzip',
    // The server could close a reused connection at any moment.
    connection: 'close',
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  let url = first
  for (let redirects = 0; ; redirects++) {
    const response = await send(url, isTrusted ? { ...headers, ...credentials } : headers, body, bounds)
    if (!REDIRECTS.includes(response.statusCode ?? 0)) return { response, url, isTrusted }
    response.destroy()
    if (body !== undefined)
      throw new FetchError(url, 'redirects, and a GraphQL query is not sent to another URL; use the final URL')
    if (redirects === MAX_REDIRECTS)
      throw new FetchError(first, `redirects more than ${MAX_REDIRECTS} times; use the final URL`)
    url = urlLedTo(url, response.headers.location)
    // After a redirect to another origin, the credentials are never sent again, even if it redirects back.
    isTrusted &&= url.origin === first.origin
  }
}

/** Resolves once the response's headers arrive, whatever its status. */
async function send(url: URL, headers: Record<string, string>, body: string | undefined, bounds: Bounds) {
  const { limits, signal } = bounds
  const method = body === undefined ? 'GET' : 'POST'
  const { sent, head } = sendRequest(url, { method, headers, signal }, (request) => request.end(body))
  const within = (ms: number, what: string) =>
    setTimeout(() => sent.destroy(new FetchError(url, `${what} within ${ms / 1000} seconds; check the server`)), ms)
  let timer = within(limits.connectMs, 'no connection')
  // The request is sent, so the connection is open and, if encrypted, trusted.
  sent.once('finish', () => {
    clearTimeout(timer)
    timer = within(limits.responseMs, 'no response')
  })
  try {
    return await head
  } catch (error) {
    throw explainedFailure(url, error, bounds)
  } finally {
    clearTimeout(timer)
  }
}

/** Where a redirect or the name of the next page leads. Another origin gets no credentials. */
export function urlLedTo(url: URL, location: string | undefined): URL {
  const target = location === undefined ? null : URL.parse(location, url.href)
  if (target === null) throw new FetchError(url, 'redirects or continues to something that is not a valid URL')
  if (target.protocol !== 'https:' && target.protocol !== url.protocol)
    throw new FetchError(
      url,
      target.protocol === 'http:'
        ? `leads from https to ${shownUrl(target)}, which is not encrypted, so it was not followed`
        : 'leads to a URL that is not http or https, so it was not followed',
    )
  // They would be sent as credentials that the other server chose.
  target.username = ''
  target.password = ''
  return target
}

function statusProblem({ statusCode = 0 }: IncomingMessage, hasCredentials: boolean, isTrusted: boolean): string {
  const response = `returned ${[statusCode, STATUS_CODES[statusCode]].filter(Boolean).join(' ')} instead of 200`
  if (statusCode !== 401 && statusCode !== 403) return response
  if (!hasCredentials) return `${response}; set SYNC_TOKEN_FILE or SYNC_HEADER_FILE if it needs credentials`
  if (!isTrusted)
    return `${response}; a redirect or a page of another origin led here, and credentials are sent only to the original URL's origin`
  return `${response}; check the credentials in SYNC_TOKEN or SYNC_HEADER`
}

/** RFC 8288: the relation is a word, or several in quotes. */
const NEXT_LINK = /<([^>]*)>[^<]*?;\s*rel\s*=\s*(?:next(?![\w-])|"(?:[^"]*\s)?next(?:\s[^"]*)?")/i

/** RFC 9110, 10.2.3: seconds, or a date. */
function retryAfterOf({ 'retry-after': text = '', date = '' }: IncomingHttpHeaders): number | undefined {
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - (Date.parse(date) || Date.now())
  return ms > 0 ? ms : undefined
}
