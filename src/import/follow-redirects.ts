import type { IncomingMessage } from 'node:http'
import { sendRequest } from '../lib/http-client.ts'
import { explainedFailure, FetchError } from './fetch-failures.ts'
import type { FetchLimits } from './fetch-limits.ts'
import { shownUrl } from './source-url.ts'

/** As many as a browser needs from an old address over a new host to its export; a loop has more. */
const MAX_REDIRECTS = 5
const REDIRECTS = [301, 302, 303, 307, 308]

interface GetRequest {
  headers: Readonly<Record<string, string>>
  /** Headers that only the origin of the first URL may see. */
  credentials: Readonly<Record<string, string>>
  limits: FetchLimits
  signal: AbortSignal
}

/** The first response that is no redirect, the URL that gave it, and whether that was sent the credentials. */
export async function followRedirects(
  first: URL,
  { headers, credentials, limits, signal }: GetRequest,
): Promise<{ response: IncomingMessage; url: URL; isTrusted: boolean }> {
  let url = first
  // Once it has left the origin, whoever sends it back there does not get to use the credentials.
  let isTrusted = true
  for (let redirects = 0; ; redirects++) {
    const response = await httpGet(url, isTrusted ? { ...headers, ...credentials } : headers, limits, signal)
    if (!REDIRECTS.includes(response.statusCode ?? 0)) return { response, url, isTrusted }
    response.destroy()
    if (redirects === MAX_REDIRECTS)
      throw new FetchError(first, `redirects more than ${MAX_REDIRECTS} times; give the URL that it leads to`)
    url = targetOf(url, response.headers.location)
    isTrusted &&= url.origin === first.origin
  }
}

/** One request; resolves with the head of its response, whatever its status. */
async function httpGet(
  url: URL,
  headers: Record<string, string>,
  { connectMs, responseMs }: FetchLimits,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  // A connection of its own: one kept from the last time could be closed by the server at any moment.
  const { sent, head } = sendRequest(url, { headers: { ...headers, connection: 'close' }, signal })
  const within = (ms: number, what: string) =>
    setTimeout(() => sent.destroy(new FetchError(url, `${what} within ${ms / 1000} seconds; check the server`)), ms)
  let timer = within(connectMs, 'no connection')
  // The request is out, so the connection is open and, if it is encrypted, trusted.
  sent.once('finish', () => {
    clearTimeout(timer)
    timer = within(responseMs, 'no answer')
  })
  try {
    return await head
  } catch (error) {
    throw signal.aborted ? signal.reason : explainedFailure(url, error)
  } finally {
    clearTimeout(timer)
  }
}

function targetOf(url: URL, location: string | undefined): URL {
  const target = location === undefined ? null : URL.parse(location, url.href)
  if (target === null) throw new FetchError(url, 'redirects, but does not say where to')
  if (target.protocol !== 'https:' && target.protocol !== url.protocol)
    throw new FetchError(
      url,
      target.protocol === 'http:'
        ? `redirects from https to ${shownUrl(target)}, which is not encrypted; it is not followed`
        : 'redirects to something other than http or https; it is not followed',
    )
  // They would be sent as credentials of somebody else's choice.
  target.username = ''
  target.password = ''
  return target
}
