import { setTimeout } from 'node:timers/promises'
import type { Occupancy } from '../../lib/fair-share.ts'
import { isoOf } from '../../lib/instant.ts'
import { shareConcurrent } from '../../lib/share-concurrent.ts'
import { type Caller, productOf } from './caller.ts'

/**
 * A known key is identified by its id; any other by its hash, or by its prefix, which survives in a damaged copy. It is looked up when
 * the batch is written.
 */
export type KeyReference = { keyId: string } | { hash: string } | { prefix: string }

/** The unsafe place that a key was sent in. */
export type LeakPlace = 'url' | 'browser'

/** What the request log shows of a request. It names arguments, and never has their values. */
export interface RequestFacts {
  requestId: string
  caller: Caller
  /** The method and path. */
  operation: string
  tool: string | undefined
  argumentNames: string | undefined
  /** `gone` if the client disconnected. */
  status: number | 'gone'
  errorCode: string | undefined
  refusalReason: string | undefined
  ms: number
  bytes: number
}

export interface LostRecords {
  requests: number
  /** Undefined if another process held the write lock the whole time. */
  cause: unknown
}

/** The requests with a key since the last batch. */
export interface KeyRequests {
  key: KeyReference
  requests: number
  /** All of them count towards this day, in the workspace's timezone. */
  lastAt: number
  /** By the reason for which they were refused; empty for those that were not. */
  counts: Map<string, number>
  /** The last request that was not refused. */
  usedAt: number | null
  refusedAt: number | null
  refusal: string | null
  leakedAt: number | null
  leakedIn: LeakPlace | null
  /** The requests that are to be logged, and how many were left out, most of them after the last. */
  logged: { rows: ReturnType<typeof toRow>[]; omitted: number }
}

/** Writes the whole batch or none of it. False if the store is busy. */
export type WriteBatch = (entries: KeyRequests[]) => Promise<boolean>

const FLUSH_EVERY_MS = 2000
const CLOSE_RETRY_MS = 50
/** Bounds how long a batch can delay requests. With more keys in use, their records lag behind. */
const MAX_ROWS = 4000
/** More keys than any service uses at once. */
const MAX_KEYS = 1_000_000
/** Anyone can send made-up keys, so their number is bounded, apart from known keys. */
const MAX_UNKNOWN_KEYS = 1000
/** Logged requests that wait. Writing one costs about a third of a request, so these take less than 1 % of a core. */
const MAX_LOGGED_PER_KEY = 30
const MAX_LOGGED = 500

/** These are logged, but not counted as refusals: a client exchanges an expired token, and a key in a URL is a leak. */
const UNCOUNTED = ['token_expired', 'url']

/**
 * Records requests by their key: in the request log, in the key's daily sums and in its state. They are written in batches, off the
 * request path. A batch that fails is written again, before any other.
 */
export class RequestRecorder {
  readonly #writeBatch: WriteBatch
  readonly #onFailure: (error: unknown) => void
  readonly #timer: NodeJS.Timeout
  readonly #known = { keys: 0, limit: MAX_KEYS, logged: 0 }
  readonly #unknown = { keys: 0, limit: MAX_UNKNOWN_KEYS, logged: 0 }
  readonly #waiting = new Map<string, KeyRequests>()
  #batch: KeyRequests[] = []
  #isClosing = false
  #lastFailure: unknown
  readonly #writeSome = shareConcurrent(() => this.#write())

  constructor(writeBatch: WriteBatch, onFailure: (error: unknown) => void) {
    this.#writeBatch = writeBatch
    this.#onFailure = onFailure
    this.#timer = setInterval(() => this.#writeSome(), FLUSH_EVERY_MS).unref()
  }

  recordRequest(key: KeyReference, now: number, request: RequestFacts, reason: string | undefined): void {
    const entry = this.#entry(key, now)
    if (entry === undefined) return
    this.#log(entry, request, now, reason)
    entry.requests++
    entry.lastAt = Math.max(entry.lastAt, now)
    if (reason === undefined) entry.usedAt = Math.max(entry.usedAt ?? 0, now)
    else if (UNCOUNTED.includes(reason)) return
    else {
      entry.refusedAt = now
      entry.refusal = reason
    }
    entry.counts.set(reason ?? '', (entry.counts.get(reason ?? '') ?? 0) + 1)
  }

  recordLeak(key: KeyReference, now: number, place: LeakPlace): void {
    const entry = this.#entry(key, now)
    if (entry === undefined) return
    entry.leakedAt = now
    entry.leakedIn = place
  }

  get queues(): Record<'use_records' | 'unknown_keys', Occupancy> {
    const [known, unknown] = [this.#known, this.#unknown]
    return {
      use_records: { current: known.keys, limit: known.limit },
      unknown_keys: { current: unknown.keys, limit: unknown.limit },
    }
  }

  #boundsOf = (key: KeyReference) => ('keyId' in key ? this.#known : this.#unknown)

  /** The caller adds to this entry until it is written. Undefined if too many are waiting. */
  #entry(key: KeyReference, now: number): KeyRequests | undefined {
    const [id = ''] = Object.values(key)
    const bounds = this.#boundsOf(key)
    const waiting = this.#waiting.get(id)
    if (waiting !== undefined || bounds.keys >= bounds.limit) return waiting
    bounds.keys++
    const state = { usedAt: null, refusedAt: null, refusal: null, leakedAt: null, leakedIn: null }
    const logged = { rows: [], omitted: 0 }
    const created: KeyRequests = { key, requests: 0, lastAt: now, counts: new Map(), ...state, logged }
    this.#waiting.set(id, created)
    return created
  }

  /** Keeps the first requests of each entry, but prefers refused ones. Every entry keeps at least one. */
  #log({ key, logged }: KeyRequests, request: RequestFacts, now: number, reason: string | undefined): void {
    const { rows } = logged
    const bounds = this.#boundsOf(key)
    if (rows.length === 0 || (rows.length < MAX_LOGGED_PER_KEY && bounds.logged < MAX_LOGGED)) bounds.logged++
    else {
      logged.omitted++
      const replaced = reason === undefined ? -1 : rows.findLastIndex(({ outcome }) => outcome !== 'refused')
      if (replaced < 0) return
      rows.splice(replaced, 1)
    }
    rows.push(toRow(request, now, reason))
  }

  async #write(): Promise<void> {
    if (this.#batch.length === 0) this.#takeBatch()
    if (this.#batch.length === 0) return
    try {
      if (await this.#writeBatch(this.#batch)) this.#forgetBatch()
      this.#lastFailure = undefined
    } catch (error) {
      this.#lastFailure = error
      // close() reports the records that are lost.
      if (!this.#isClosing) this.#onFailure(error)
    }
  }

  #takeBatch(): void {
    let rows = 0
    // Made-up keys come last, so that they delay no others.
    for (const bounds of [this.#known, this.#unknown])
      for (const [id, entry] of this.#waiting) {
        if (rows >= MAX_ROWS) return
        if (this.#boundsOf(entry.key) !== bounds) continue
        this.#batch.push(entry)
        this.#waiting.delete(id)
        rows += 1 + entry.counts.size + entry.logged.rows.length
      }
  }

  #forgetBatch(): void {
    for (const { key, logged } of this.#batch) {
      const bounds = this.#boundsOf(key)
      bounds.keys--
      bounds.logged -= logged.rows.length
    }
    this.#batch = []
  }

  /** Retries for up to `waitMs`, then reports the records that are lost. */
  async close(waitMs: number, onLost: (lost: LostRecords) => void = () => {}): Promise<void> {
    clearInterval(this.#timer)
    this.#isClosing = true
    const deadline = performance.now() + waitMs
    // Shares a write that has begun, so that another attempt follows it.
    await this.#writeSome()
    for (;;) {
      await this.#writeSome()
      const isWritten = this.#batch.length === 0
      if (isWritten ? this.#waiting.size === 0 : performance.now() >= deadline) break
      if (!isWritten) await setTimeout(CLOSE_RETRY_MS)
    }
    const requests = [...this.#batch, ...this.#waiting.values()].reduce((sum, entry) => sum + entry.requests, 0)
    if (requests > 0) onLost({ requests, cause: this.#lastFailure })
  }
}

function toRow(request: RequestFacts, now: number, reason: string | undefined) {
  const { requestId, caller, operation, tool, argumentNames, status, errorCode, ms, bytes } = request
  const isFailed = status === 'gone' || status >= 400 || errorCode !== undefined
  return {
    ...{ at: isoOf(now), requestId, operation, tool, arguments: argumentNames, ms, bytes },
    ...{ status: status === 'gone' ? null : status, code: errorCode, reason },
    ...{ outcome: reason !== undefined ? 'refused' : isFailed ? 'failed' : 'ok' },
    ...{ address: caller.address, agent: productOf(caller) || null },
  }
}
