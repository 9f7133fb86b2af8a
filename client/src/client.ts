import type { paths } from './contract.ts'
import { VitrineError, VitrineNetworkError } from './errors.ts'
import { readBody } from './response.ts'
import { waitBeforeRetry } from './retry.ts'

/** Enough for more than one network failure, and few enough for a caller who waits. */
const MAX_ATTEMPTS = 4
/** The contract has fewer paths, but a caller without types may request anything. */
const MAX_CACHED = 16
/** setTimeout fires immediately if its delay is longer. */
const MAX_MS = 2 ** 31 - 1

/** The type of what a path's GET returns, within the types of a document. */
type Read = { get: { responses: { 200: { content: { 'application/json': unknown } } } } }

/** The paths that can be read. `Paths` is what openapi-typescript writes for an instance. */
export type Path<Paths = paths> = string & { [P in keyof Paths]: Paths[P] extends Read ? P : never }[keyof Paths]
export type Answer<P extends Path<Paths>, Paths = paths> = Paths[P] extends Read
  ? Paths[P]['get']['responses'][200]['content']['application/json']
  : never

export interface VitrineOptions {
  /** Where the service is, such as https://vitrine.example.com. */
  url: string | undefined
  /** A workspace key. Keys are for servers: never put one into browser code. */
  key: string | undefined
  /** For each attempt, from the request to the last byte of its response. Default: 30 seconds. */
  timeoutMs?: number | undefined
  /** For all waits between the attempts of one call. Default: 60 seconds. With 0, nothing is retried. */
  maxWaitMs?: number | undefined
}

/** The key's quota, as of the last response. REST and MCP share it. */
export interface Quota {
  readonly limit: number
  readonly remaining: number
  readonly resetsAt: Date
}

export class Vitrine<Paths = paths> {
  readonly #url: string
  readonly #key: string
  readonly #timeoutMs: number
  readonly #maxWaitMs: number
  readonly #cache = new Map<string, { etag: string; body: unknown }>()
  #quota: Quota | undefined

  constructor({ url, key, timeoutMs = 30_000, maxWaitMs = 60_000 }: VitrineOptions) {
    this.#url = checkedUrl(url)
    // RFC 6750. The runtime's own error would repeat an invalid token.
    if (!/^[\w.~+/-]+=*$/.test(key ?? ''))
      throw new TypeError('key: not a workspace key; is it set, without spaces or line breaks?')
    this.#key = key as string
    this.#timeoutMs = checkedMs('timeoutMs', timeoutMs)
    this.#maxWaitMs = checkedMs('maxWaitMs', maxWaitMs)
  }

  get quota(): Quota | undefined {
    return this.#quota
  }

  /** Reads a resource. While it does not change, the very same frozen object is returned: compare with `===`. */
  async get<P extends Path<Paths>>(
    path: P,
    { signal }: { signal?: AbortSignal | undefined } = {},
  ): Promise<Answer<P, Paths>> {
    // Otherwise, it could become the end of another host's name.
    if (!path.startsWith('/')) throw new TypeError('path: it must begin with /')
    let waitLeftMs = this.#maxWaitMs
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted()
      try {
        return (await this.#attempt(path, signal)) as Answer<P, Paths>
      } catch (error) {
        const waitMs = attempt < MAX_ATTEMPTS ? waitBeforeRetry(error, attempt) : Number.POSITIVE_INFINITY
        // A Retry-After of 0 needs no wait, but is a retry too.
        if (waitMs > waitLeftMs || this.#maxWaitMs === 0) throw error
        waitLeftMs -= waitMs
        await wait(waitMs, signal)
      }
    }
  }

  async #attempt(path: string, signal: AbortSignal | undefined): Promise<unknown> {
    // Not AbortSignal.any: in Node.js it can lose an abort to the garbage collector (nodejs/node#57736, #65995).
    const stop = new AbortController()
    const onAbort = () => stop.abort()
    signal?.addEventListener('abort', onAbort)
    const timer = setTimeout(onAbort, this.#timeoutMs)
    try {
      return await this.#request(path, stop.signal)
    } catch (cause) {
      signal?.throwIfAborted()
      if (cause instanceof VitrineError) throw cause
      const timedOut = stop.signal.aborted
      const reason = timedOut ? `none within ${this.#timeoutMs} ms` : reasonOf(cause)
      throw new VitrineNetworkError(`No response from ${this.#url}${path}: ${reason}`, { timedOut, cause })
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  async #request(path: string, signal: AbortSignal): Promise<unknown> {
    const cached = this.#cache.get(path)
    const headers = {
      accept: 'application/json, application/problem+json',
      authorization: `Bearer ${this.#key}`,
      'user-agent': 'vitrine-client',
      ...(cached && { 'if-none-match': cached.etag }),
    }
    // A redirect is not followed, so that the key reaches no other host.
    const response = await fetch(this.#url + path, { headers, redirect: 'manual', signal })
    this.#quota = quotaIn(response.headers) ?? this.#quota
    const text = await response.text()
    if (response.status === 304 && cached !== undefined) return cached.body
    const body = readBody(path, response, text, this.#key)
    const etag = response.headers.get('etag')
    // A concurrent call may have cached the same response, or a proxy may have dropped If-None-Match.
    const latest = this.#cache.get(path)
    if (latest !== undefined && latest.etag === etag) return latest.body
    this.#cache.delete(path)
    if (etag !== null) this.#cache.set(path, { etag, body })
    for (const oldest of this.#cache.keys()) if (this.#cache.size > MAX_CACHED) this.#cache.delete(oldest)
    return body
  }
}

function checkedUrl(given: string | undefined): string {
  const url = URL.canParse(given ?? '') ? new URL(given ?? '') : undefined
  if (!/^https?:$/.test(url?.protocol ?? '')) throw new TypeError('url: not an http or https address')
  const { origin, pathname, href } = url as URL
  if (href !== origin + pathname) throw new TypeError('url: it must have no user name, query or fragment')
  return href.replace(/\/+$/, '')
}

function checkedMs(name: string, ms: number): number {
  if (ms >= 0 && ms <= MAX_MS) return ms
  throw new TypeError(`${name}: not a number of milliseconds from 0 to ${MAX_MS}`)
}

function quotaIn(headers: Headers): Quota | undefined {
  const [limit, remaining, reset] = ['limit', 'remaining', 'reset'].map((name) => headers.get(`ratelimit-${name}`))
  if (!limit || !remaining || !reset) return undefined
  return { limit: +limit, remaining: +remaining, resetsAt: new Date(Date.now() + +reset * 1000) }
}

/** Node.js has the actual reason in the cause of "fetch failed". */
function reasonOf(error: unknown): string {
  const { message, cause } = error as { message: string; cause?: { message?: string; code?: string } }
  return cause?.message || cause?.code || message
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
