import { hash } from 'node:crypto'
import type { Viewpoint } from '../database/queries.ts'
import type { Admission, PublicStore } from '../database/store.ts'
import type { Occupancy } from '../lib/fair-share.ts'
import { type MaybePromise, whenReady } from '../lib/maybe-promise.ts'
import { withOwnMemory } from '../lib/own-memory.ts'
import { BoundedCache } from './bounded-cache.ts'
import type { Resource } from './define.ts'

/**
 * In characters. A longer question is answered and not cached: such are not repeated, and all texts of one length above 16,383
 * share one hash in V8, so that a map of many such is searched one by one.
 */
const MAX_QUESTION_LENGTH = 4096

/** Something that can be cached; `weight` is the bytes of memory that it may come to hold. */
interface Weighed {
  readonly weight: number
}

/** A value as it was read, and when it changes by itself, without a change of data; Infinity if it does not. */
interface ReadValue<Value extends Weighed> {
  value: Value
  until: number
}

/** Undefined if the workspace went away since the request was admitted. */
export type ReadOnMiss<Value extends Weighed> = (
  store: PublicStore,
  viewpoint: Viewpoint,
) => Promise<ReadValue<Value> | undefined>

/** Since the start. */
export interface CacheFigures {
  hits: number
  misses: number
  bytes: Occupancy
}

/** A response with the time that it is true for. */
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

/**
 * Caches each response for as long as it is true: until the workspace's revision moves or the next snooze ends. There is no
 * time-to-live, so nothing is ever served stale.
 */
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

  get figures(): CacheFigures {
    return { hits: this.#hits, misses: this.#misses, bytes: this.#cached.bytes }
  }

  /**
   * The cached response, or else what `read` finds. A question has the same kind of response for every caller, and begins
   * with a name that is used nowhere else. Undefined if the workspace is not available.
   */
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

  /** Of the requests that miss a response at the same time one reads it, and the others share what it found. */
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

  /** The revision is the one that the request was admitted with: what is read later may be newer, and never older. */
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
  /** As the tool takes them, and checked; without any, all of it. */
  args?: Arguments,
) => MaybePromise<ServedBody | undefined>

type Arguments = Readonly<Record<string, unknown>>

/** Reads the body of a resource through the cache. */
export function createBodyReader(resource: Resource, cache: ResponseCache): BodyReader {
  const { whenUnavailable } = resource
  // It belongs to no revision, so nothing that is made from it is reused.
  const unavailable = whenUnavailable && new ServedBody(Buffer.from(JSON.stringify(whenUnavailable)), 0)
  return (admission, args = {}) => {
    const body = cache.ask(questionOf(resource.name, args), admission, async (store, viewpoint) => {
      const reading = await resource.read(store, viewpoint, args)
      return reading && { value: new ServedBody(reading.body, reading.until), until: reading.until }
    })
    return whenReady(body, (read) => read ?? unavailable)
  }
}

/** Without arguments it is the name itself: no text is built for what is asked most. */
export function questionOf(name: string, args: Arguments): string {
  for (const _ in args) return `${name} ${JSON.stringify(args)}`
  return name
}

/** The bytes of a response, and their tag, which is computed when it is first asked for. */
export class ServedBody {
  readonly bytes: Buffer
  /** When it changes by itself. */
  readonly until: number
  #etag: string | undefined

  constructor(bytes: Buffer, until: number) {
    this.bytes = withOwnMemory(bytes)
    this.until = until
  }

  /** Strong, and the same in every process: it depends on the bytes only. */
  get etag(): string {
    this.#etag ??= `"${hash('sha256', this.bytes, 'base64url').slice(0, 27)}"`
    return this.#etag
  }

  /** The bytes of memory that it may come to hold. */
  get weight(): number {
    return this.bytes.length + OBJECTS
  }
}

/** Its objects and the tag, as measured: docs/decisions/0031-kept-answers.md. */
const OBJECTS = 800
