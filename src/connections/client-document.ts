import { isIP } from 'node:net'
import { isObject } from '../lib/checker.ts'
import { ConnectionError } from '../lib/connection-failures.ts'
import { createHttpClient } from '../lib/http-client.ts'
import { parseJson } from '../lib/json-text.ts'
import { Lru } from '../lib/lru.ts'
import { networkOf } from '../lib/network.ts'
import { publicLookup, type Resolve } from '../lib/public-address.ts'
import { RateWindows } from '../lib/rate-windows.ts'
import { version } from '../version.ts'
import { type Client, readMetadata, registeredClient } from './client.ts'
import { OAuthError } from './oauth-error.ts'

const MAX_URL_LENGTH = 500
const MAX_BYTES = 5 * 1024
const TIMEOUT_MS = 5000
/** Whatever the response asks for: long enough for a person to consent, and short enough for a changed document. */
const CACHED_MS = 5 * 60_000
/** With at most 5 KB each, the cache holds at most 1 MB. */
const CACHED_CLIENTS = 100
/** Only people who have signed in start any, and each takes one connection for at most 5 seconds. */
const FETCHES_PER_NETWORK = { limit: 20, windowSeconds: 60 }

/** For tests, which cannot have a public address, a public certificate or port 443. */
interface TestOverrides {
  ca?: string
  port?: number
  resolve?: Resolve
  isAllowed?: (address: string) => boolean
  timeoutMs?: number
}

interface Options {
  clock?: () => number
  testOverrides?: TestOverrides
}

/** Any other id belongs to a client that registered itself. */
export const isDocumentId = (id: string): boolean => /^https:/i.test(id)

/**
 * Finds clients by their ids. A URL is the id of a client ID metadata document (draft-ietf-oauth-client-id-
 * metadata-document). A stranger chooses the URL, so a fetch can only reach public addresses and is small, short and rare.
 */
export class ClientRegistry {
  readonly #cached = new Lru<{ client: Client; expiresAt: number }>(CACHED_CLIENTS)
  readonly #pending = new Map<string, Promise<Client>>()
  readonly #fetchWindows = new RateWindows()
  readonly #clock: () => number
  readonly #testOverrides: TestOverrides

  constructor({ clock = Date.now, testOverrides = {} }: Options = {}) {
    this.#clock = clock
    this.#testOverrides = testOverrides
  }

  /** Fetches count for the caller's address. Errors are for the person who is asked for access. */
  async find(id: string, address: string | undefined): Promise<Client> {
    if (!isDocumentId(id)) return registeredClient(id) ?? refuse(UNKNOWN)
    const cached = this.#cached.get(id)
    if (cached !== undefined && cached.expiresAt > this.#clock()) return cached.client
    return await (this.#pending.get(id) ?? this.#startFetch(id, networkOf(address ?? '')))
  }

  #startFetch(id: string, network: string): Promise<Client> {
    const url = documentUrl(id)
    if (this.#fetchWindows.count(network, FETCHES_PER_NETWORK, this.#clock()).used > FETCHES_PER_NETWORK.limit)
      throw new OAuthError('temporarily_unavailable', 'Too many programs are being looked up. Try again.', 503)
    const fetched = this.#fetch(url).finally(() => this.#pending.delete(id))
    this.#pending.set(id, fetched)
    return fetched
  }

  /** Failures are not cached, so a person can try again at once. */
  async #fetch(url: URL): Promise<Client> {
    const { port, resolve, isAllowed, ca, timeoutMs = TIMEOUT_MS } = this.#testOverrides
    const { send, close } = createHttpClient(url, { maxConnections: 1, timeoutMs, maxBodyBytes: MAX_BYTES, ca })
    try {
      const headers = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': `vitrine/${version}` }
      const lookup = publicLookup(resolve, isAllowed)
      const { response, body } = await send({ headers, lookup, ...(port && { port }) }, (sent) => sent.end())
      const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = response.headers
      const isJson = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)
      if (response.statusCode !== 200 || !isJson || encoding !== 'identity')
        refuse(`${url.hostname} did not send a description of this program as JSON.`)
      const client = describedClient(url, parseJson(body.toString()))
      this.#cached.set(url.href, { client, expiresAt: this.#clock() + CACHED_MS })
      return client
    } catch (error) {
      // One text for all reasons: a stranger must not learn which names and addresses exist in the server's own network.
      if (!(error instanceof ConnectionError)) throw error
      return refuse(
        `The description of this program could not be fetched from ${url.hostname}. It must be public, on port 443 with a valid certificate, at most 5 KB, and arrive within 5 seconds.`,
      )
    } finally {
      close()
    }
  }
}

const UNKNOWN = 'This program is not registered here. Remove the connection in the program, and add it again.'

function refuse(description: string): never {
  throw new OAuthError('invalid_client', description)
}

/** Accepts a URL only as the parser normalises it, so that a document has exactly one id, without dot segments. */
function documentUrl(id: string): URL {
  const url = id.length <= MAX_URL_LENGTH ? URL.parse(id) : null
  const isCanonical = url?.href === id && !id.includes('#') && url.username === '' && url.password === ''
  if (!isCanonical || url.pathname === '/' || url.port !== '' || isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0)
    refuse(
      'The URL that names this program must be https, with a host name and a path, and without a port or fragment.',
    )
  return url
}

export function describedClient(url: URL, document: unknown): Client {
  if (!isObject(document) || document.client_id !== url.href)
    refuse(`The description of this program at ${url.hostname} is for another program.`)
  const { client_secret: secret, token_endpoint_auth_method: method } = document
  if (secret !== undefined || (typeof method === 'string' && method.startsWith('client_secret')))
    refuse(`The description of this program at ${url.hostname} asks for a shared secret, which a document cannot hold.`)
  try {
    return { id: url.href, ...readMetadata(document), documentHost: url.hostname }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    return refuse(`The description of this program at ${url.hostname} is not usable: ${error.message}`)
  }
}
