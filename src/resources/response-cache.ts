import { hash } from 'node:crypto'
import type { Admission } from '../database/admission.ts'
import type { PublicStore } from '../database/store.ts'
import { Lru } from '../lib/lru.ts'
import type { ReadScope, ResourceBody } from '../lists/query.ts'
import type { Resource } from './define.ts'

/** In characters. Longer ones are rarely repeated, and V8 gives all strings of one length above 16,383 the same hash. */
const MAX_QUERY_LENGTH = 4096

/** `weight` is the most memory, in bytes, that the value may take. */
interface Weighed {
  readonly weight: number
}

/** `until` is when the value changes without a change to the data, or Infinity. */
interface ExpiringValue<Value extends Weighed> {
  value: Value
  until: number
}

/** Undefined if the workspace was deleted after the request was admitted. */
export type ReadOnMiss<Value extends Weighed> = (
  store: PublicStore,
  scope: ReadScope,
) => Promise<ExpiringValue<Value> | undefined>

export type CacheStats = ResponseCache['stats']

interface Entry extends ExpiringValue<Weighed> {
  revision: number
  from: number
}

/** The overhead per entry, besides the value: its objects, its slot in a map, and the key's header. */
const ENTRY_BYTES = 400

/** V8 stores two bytes per character in strings that are not Latin-1. */
const weightOf = ({ value }: Entry, key: string) => value.weight + key.length * 2 + ENTRY_BYTES

/** Caches each response until the workspace's revision changes or the next snooze ends, so nothing stale is served. */
export class ResponseCache {
  readonly #store: PublicStore
  readonly #cached: Lru<Entry>
  readonly #pending = new Map<string, { revision: number; from: number; entry: Promise<Entry | undefined> }>()
  #hits = 0
  #misses = 0

  constructor(store: PublicStore, maxBytes: number) {
    this.#store = store
    this.#cached = new Lru(maxBytes, weightOf)
  }

  get stats() {
    const { weight, maxWeight } = this.#cached
    return { hits: this.#hits, misses: this.#misses, bytes: { current: weight, limit: maxWeight } }
  }

  /** The query must begin with a unique name; without one, nothing is cached. Keys that are limited to other rows share nothing. Returns undefined if the workspace is not available. */
  async getOrRead<Value extends Weighed>(
    query: string | undefined,
    admission: Admission,
    read: ReadOnMiss<Value>,
  ): Promise<Value | undefined> {
    if (!admission.available) return undefined
    const { workspaceId, revision, now, only } = admission
    if (query === undefined || query.length > MAX_QUERY_LENGTH) {
      this.#misses++
      return (await read(this.#store, { workspaceId, now, only }))?.value
    }
    // The length shows where the limit ends, whatever is stored.
    const key = only === null ? `${workspaceId} ${query}` : `${workspaceId} ${only.length}:${only} ${query}`
    const cached = this.#cached.get(key)
    if (cached !== undefined && cached.revision === revision && cached.from <= now && now < cached.until) {
      this.#hits++
      return cached.value as Value
    }
    this.#misses++
    return (await this.#readOnce(key, admission, read))?.value as Value | undefined
  }

  /** Concurrent misses for the same response share one read, unless that expires before the moment of one of them. */
  async #readOnce(key: string, admission: Admission, read: ReadOnMiss<Weighed>): Promise<Entry | undefined> {
    const { revision, now } = admission
    const other = this.#pending.get(key)
    if (other?.revision === revision && other.from <= now) {
      const entry = await other.entry
      if (entry === undefined || now < entry.until || now === other.from) return entry
    }
    const mine = { revision, from: now, entry: this.#read(key, admission, read) }
    this.#pending.set(key, mine)
    try {
      return await mine.entry
    } finally {
      if (this.#pending.get(key) === mine) this.#pending.delete(key)
    }
  }

  /** Caches under the revision at admission. The data is read later, so it may be newer than that, but never older. */
  async #read(key: string, { workspaceId, revision, now, only }: Admission, read: ReadOnMiss<Weighed>) {
    const found = await read(this.#store, { workspaceId, now, only })
    if (found === undefined) return undefined
    const entry = { ...found, revision, from: now }
    this.#cached.set(key, entry)
    return entry
  }
}

/** Undefined if responses of the resource are not cached. */
export const cachedName = ({ inPlace }: Resource, name: string): string | undefined =>
  inPlace === undefined ? name : undefined

/** If the workspace is not available, lists are empty. This belongs to no revision, so nothing derived from it may be cached. */
export const unavailableBody = ({ list }: Resource): ServedBody | undefined =>
  list && new ServedBody(Buffer.from(`{"${list.name}":[]}`), 0)

/** Gives undefined if the workspace is not available. */
export const createBodyReader = (resource: Resource, cache: ResponseCache) => (admission: Admission) =>
  cache.getOrRead(cachedName(resource, resource.name), admission, async (store, scope) => {
    const read = await resource.read(store, scope)
    return read && { value: new ServedBody(read.body, read.until, totalBeyond(resource, read)), until: read.until }
  })

/** Undefined if the body has all rows. */
const totalBeyond = ({ list }: Resource, { total = 0 }: ResourceBody): number | undefined =>
  list !== undefined && total > list.limit ? total : undefined

/** Without arguments the key is the name itself. */
export const cacheKeyOf = (name: string, args: Readonly<Record<string, unknown>>): string =>
  Object.keys(args).length === 0 ? name : `${name} ${JSON.stringify(args)}`

export class ServedBody {
  readonly bytes: Buffer
  readonly until: number
  /** How many rows the list has, if they are more than these. */
  readonly total: number | undefined
  #etag: string | undefined

  constructor(bytes: Buffer, until: number, total?: number) {
    this.bytes = withOwnMemory(bytes)
    this.until = until
    this.total = total
  }

  /** Strong, and the same in every process, because it depends only on the bytes. */
  get etag(): string {
    this.#etag ??= `"${hash('sha1', this.bytes, 'base64url')}"`
    return this.#etag
  }

  get weight(): number {
    return this.bytes.length + OVERHEAD_BYTES
  }
}

/** For long-lived bytes: small Buffers are slices of a shared one, and would retain all of it. */
export function withOwnMemory(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}

/** The measured overhead of the objects, the ETag and its responses. */
const OVERHEAD_BYTES = 1600
