import type { components, paths } from './contract.ts'
import { VitrineError, VitrineNetworkError } from './errors.ts'
import { readBody, readToolResult } from './response.ts'
import { waitBeforeRetry } from './retry.ts'

/** Enough for more than one network failure, and few enough for a caller who waits. */
const MAX_ATTEMPTS = 4
/** The contract has fewer paths, but a caller without types may request anything. */
const MAX_CACHED = 16
/** Speaks the version used here for at least as long as the others. */
const TOOLS_PATH = '/v2/mcp'
const JSON_TYPES = 'application/json, application/problem+json'
/** setTimeout fires immediately if its delay is longer. */
const MAX_MS = 2 ** 31 - 1

/** The type of what a path's GET returns, within the types of a document. */
type Read = { get: { responses: { 200: { content: { 'application/json': unknown } } } } }

/** The paths that can be read. `Paths` is what openapi-typescript writes for an instance. */
export type Path<Paths = paths> = string & { [P in keyof Paths]: Paths[P] extends Read ? P : never }[keyof Paths]
export type Answer<P extends Path<Paths>, Paths = paths> = Paths[P] extends Read
  ? Paths[P]['get']['responses'][200]['content']['application/json']
  : never

type Schemas = components['schemas']
type Task = Schemas['Task']
type Result = Schemas['ListTasksResult']

export type ListTasksArguments = Schemas['ListTasksArguments']
export type TaskFilters = Omit<ListTasksArguments, 'changedSince' | 'countBy' | 'cursor' | 'ifNoneMatch'>

/** With `fields`, a task has only these besides its id and title. */
export type ListedTask<Asked> = Pick<
  Task,
  'id' | 'title' | (Asked extends { fields: readonly (infer Field)[] } ? Field & keyof Task : keyof Task)
>
type With<Name extends keyof Result> = Result & Required<Pick<Result, Name>>
type Page<Asked> = Omit<With<'total' | 'hasMore' | 'nextCursor'>, 'tasks'> & {
  readonly tasks: readonly ListedTask<Asked>[]
}
type Changed<Asked> = Page<Asked> & Required<Pick<Result, 'since' | 'gone'>>
/** A page; with `countBy` counts; with `changedSince` what changed; and with `ifNoneMatch` perhaps only `unchanged`. */
export type ListTasksResult<Asked> = Asked extends { ifNoneMatch: string }
  ? Partial<Page<Asked>> & Result
  : Asked extends { countBy: string }
    ? With<'total' | 'overdue' | 'counts' | 'more'>
    : Asked extends { changedSince: string }
      ? Changed<Asked>
      : Page<Asked>

/** What changed in the tasks that match. */
export interface TaskChanges<Asked> {
  /** For the next call. */
  readonly etag: string
  /** The time from which changes are reported. */
  readonly since: string
  /** Those that are new or changed, earliest due first. */
  readonly tasks: readonly ListedTask<Asked>[]
  /** Ids of those that do not match any more: completed, snoozed, deleted or different. */
  readonly gone: readonly string[]
  /** There are more than these. */
  readonly goneIsPartial: boolean
}

interface CallOptions {
  signal?: AbortSignal | undefined
}

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
  async get<P extends Path<Paths>>(path: P, options?: CallOptions): Promise<Answer<P, Paths>> {
    // Otherwise, it could become the end of another host's name.
    if (!path.startsWith('/')) throw new TypeError('path: it must begin with /')
    return (await this.#retry(path, undefined, options)) as Answer<P, Paths>
  }

  /** Asks the tool `list_tasks` a question: one page of the tasks that match, or counts. */
  async listTasks<const Asked extends ListTasksArguments>(
    asked = {} as Asked,
    options?: CallOptions,
  ): Promise<ListTasksResult<Asked>> {
    // Without arguments, the tool returns what GET /tasks does.
    const call = { name: 'list_tasks', arguments: { limit: 100, ...asked } }
    return (await this.#retry(TOOLS_PATH, call, options)) as ListTasksResult<Asked>
  }

  /** All tasks that match, however many there are, earliest due first. Each page is read when it is needed. */
  async *tasks<const Filters extends TaskFilters>(
    filters = {} as Filters,
    options?: CallOptions,
  ): AsyncGenerator<ListedTask<Filters>, void, undefined> {
    let cursor: string | null | undefined
    do {
      const page: Page<Filters> = await this.listTasks({ ...filters, ...(cursor && { cursor }) }, options)
      yield* page.tasks
      cursor = page.nextCursor
    } while (cursor)
  }

  /** What changed since an earlier result's `etag`, or since a time: an instant, a date, or `today`. */
  async changes<const Filters extends TaskFilters>(
    since: string,
    filters = {} as Filters,
    options?: CallOptions,
  ): Promise<TaskChanges<Filters>> {
    const read = (cursor: string | null) =>
      this.listTasks({ ...filters, changedSince: since, ...(cursor !== null && { cursor }) }, options) as Promise<
        Changed<Filters>
      >
    const first = await read(null)
    const tasks = [...first.tasks]
    for (let cursor = first.nextCursor; cursor !== null; ) {
      const page = await read(cursor)
      tasks.push(...page.tasks)
      cursor = page.nextCursor
    }
    const { etag, gone, goneIsPartial = false } = first
    return { etag, since: first.since, tasks, gone, goneIsPartial }
  }

  async #retry(path: string, call: object | undefined, { signal }: CallOptions = {}): Promise<unknown> {
    let waitLeftMs = this.#maxWaitMs
    for (let attempt = 1; ; attempt++) {
      signal?.throwIfAborted()
      try {
        return await this.#attempt(path, call, signal)
      } catch (error) {
        const waitMs = attempt < MAX_ATTEMPTS ? waitBeforeRetry(error, attempt) : Number.POSITIVE_INFINITY
        // A Retry-After of 0 needs no wait, but is a retry too.
        if (waitMs > waitLeftMs || this.#maxWaitMs === 0) throw error
        waitLeftMs -= waitMs
        await wait(waitMs, signal)
      }
    }
  }

  async #attempt(path: string, call: object | undefined, signal: AbortSignal | undefined): Promise<unknown> {
    // Not AbortSignal.any: in Node.js it can lose an abort to the garbage collector (nodejs/node#57736, #65995).
    const stop = new AbortController()
    const onAbort = () => stop.abort()
    signal?.addEventListener('abort', onAbort)
    const timer = setTimeout(onAbort, this.#timeoutMs)
    try {
      return await (call ? this.#call(path, call, stop.signal) : this.#read(path, stop.signal))
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

  async #send(path: string, signal: AbortSignal, headers: Record<string, string>, more?: RequestInit) {
    const always = { authorization: `Bearer ${this.#key}`, 'user-agent': 'vitrine-client' }
    // A redirect is not followed, so that the key reaches no other host.
    const init: RequestInit = { ...more, headers: { ...always, ...headers }, redirect: 'manual', signal }
    const response = await fetch(this.#url + path, init)
    this.#quota = quotaIn(response.headers) ?? this.#quota
    return { response, text: await response.text() }
  }

  /** By MCP 2025-03-26, which needs no handshake here and leaves texts whole. */
  async #call(path: string, params: object, signal: AbortSignal): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const headers = { accept: JSON_TYPES, 'content-type': 'application/json' }
    const { response, text } = await this.#send(path, signal, headers, { method: 'POST', body })
    return readToolResult(response, text, this.#key)
  }

  async #read(path: string, signal: AbortSignal): Promise<unknown> {
    const cached = this.#cache.get(path)
    const headers = { accept: JSON_TYPES, ...(cached && { 'if-none-match': cached.etag }) }
    const { response, text } = await this.#send(path, signal, headers)
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
