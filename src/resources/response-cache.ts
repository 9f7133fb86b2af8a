import { hash } from 'node:crypto'
import type { Viewpoint } from '../database/queries.ts'
import type { Admission, PublicStore } from '../database/store.ts'
import type { Occupancy } from '../lib/fair-share.ts'
import { type MaybePromise, whenReady } from '../lib/maybe-promise.ts'
import { withOwnMemory } from '../lib/own-memory.ts'
import { BoundedCache } from './bounded-cache.ts'
import type { Resource } from './define.ts'

/** In characters. Longer questions are rarely repeated, and above 16,383 all texts of one length share a hash in V8. */
const MAX_QUESTION_LENGTH = 4096

/** `weight` is the bytes of memory that it may come to hold. */
interface Weighed {
  readonly weight: number
}

/** `until` is when the value changes without a change of data, or Infinity. */
interface ReadValue<Value extends Weighed> {
  value: Value
  until: number
}

/** Undefined if the workspace has gone since the request was admitted. */
export type ReadOnMiss<Value extends Weighed> = (
  store: PublicStore,
  viewpoint: Viewpoint,
) => Promise<ReadValue<Value> | undefined>

/** Since the start. */
export interface CacheStats {
  hits: number
  misses: number
  bytes: Occupancy
}

interface Entry {
  from: number
  until: number
  value: Weighed
  weight: number
}

interface ReadUnderWay {
  revision: number
  from: number
  entry: Promise<Entry | undefined>
}

/** Caches each response until the workspace's revision moves or the next snooze ends, so nothing is served stale. */
export class ResponseCache {
  readonly #store: PublicStore
  readonly #cached: BoundedCache<Entry>
  /** By workspace and question. */
  readonly #underWay = new Map<string, ReadUnderWay>()
  #hits = 0
  #misses = 0

  constructor(store: PublicStore, maxBytes: number) {
    this.#store = store
    this.#cached = new BoundedCache(maxBytes)
  }

  get stats(): CacheStats {
    return { hits: this.#hits, misses: this.#misses, bytes: this.#cached.bytes }
  }

  /** A question must begin with a unique name. Returns undefined if the workspace is not available. */
  ask<Value extends Weighed>(
    question: string,
    admission: Admission,
    read: ReadOnMiss<Value>,
  ): MaybePromise<Value | undefined> {
    if (!admission.available) return undefined
    const { workspaceId, revision, now } = admission
    if (question.length > MAX_QUESTION_LENGTH) {
      this.#misses++
      return read(this.#store, { workspaceId, now }).then((found) => found?.value)
    }
    const cached = this.#cached.find(workspaceId, revision, question)
    if (cached !== undefined && cached.from <= now && now < cached.until) {
      this.#hits++
      return cached.value as Value
    }
    this.#misses++
    return this.#readOnce(question, admission, read).then((entry) => entry?.value as Value | undefined)
  }

  /** Concurrent misses of the same response share one read. */
  async #readOnce(question: string, admission: Admission, read: ReadOnMiss<Weighed>): Promise<Entry | undefined> {
    const { workspaceId, revision, now } = admission
    const place = JSON.stringify([workspaceId, question])
    const other = this.#underWay.get(place)
    if (other !== undefined && other.revision === revision && other.from <= now) {
      const entry = await other.entry
      if (entry === undefined || now < entry.until) return entry
    }
    const mine = { revision, from: now, entry: this.#read(question, admission, read) }
    this.#underWay.set(place, mine)
    try {
      return await mine.entry
    } finally {
      if (this.#underWay.get(place) === mine) this.#underWay.delete(place)
    }
  }

  /** Stores under the revision of the admission: what is read later may be newer, never older. */
  async #read(
    question: string,
    { workspaceId, revision, now }: Admission,
    read: ReadOnMiss<Weighed>,
  ): Promise<Entry | undefined> {
    const found = await read(this.#store, { workspaceId, now })
    if (found === undefined) return undefined
    const { value, until } = found
    const entry = { from: now, until, value, weight: value.weight }
    this.#cached.set(workspaceId, revision, question, entry)
    return entry
  }
}

/** Undefined if the workspace is not available and the resource has no response for that. */
type BodyReader = (
  admission: Admission,
  /** Already checked. None means the whole body. */
  args?: Arguments,
) => MaybePromise<ServedBody | undefined>

type Arguments = Readonly<Record<string, unknown>>

export function createBodyReader(resource: Resource, cache: ResponseCache): BodyReader {
  const { whenUnavailable } = resource
  // It belongs to no revision, so nothing derived from it may be reused.
  const unavailable = whenUnavailable && new ServedBody(Buffer.from(JSON.stringify(whenUnavailable)), 0)
  return (admission, args = {}) => {
    const body = cache.ask(questionOf(resource.name, args), admission, async (store, viewpoint) => {
      const reading = await resource.read(store, viewpoint, args)
      return reading && { value: new ServedBody(reading.body, reading.until), until: reading.until }
    })
    return whenReady(body, (read) => read ?? unavailable)
  }
}

/** Without arguments the question is the name itself, so the most frequent one builds no text. */
export function questionOf(name: string, args: Arguments): string {
  for (const _ in args) return `${name} ${JSON.stringify(args)}`
  return name
}

export class ServedBody {
  readonly bytes: Buffer
  /** When it changes by itself. */
  readonly until: number
  #etag: string | undefined

  constructor(bytes: Buffer, until: number) {
    this.bytes = withOwnMemory(bytes)
    this.until = until
  }

  /** Strong, and the same in every process, because it depends only on the bytes. */
  get etag(): string {
    this.#etag ??= `"${hash('sha256', this.bytes, 'base64url').slice(0, 27)}"`
    return this.#etag
  }

  /** The bytes of memory that it may come to hold. */
  get weight(): number {
    return this.bytes.length + OBJECTS
  }
}

/** The measured overhead of its objects and tag: docs/decisions/0031-kept-answers.md. */
const OBJECTS = 800
