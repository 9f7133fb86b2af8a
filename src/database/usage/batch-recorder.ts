import { setTimeout } from 'node:timers/promises'
import type { Occupancy } from '../../lib/fair-share.ts'
import { isoOf } from '../../lib/instant.ts'
import { shareConcurrent } from '../../lib/share-concurrent.ts'
import { productOf } from './caller.ts'
import type { KeyReference, LeakPlace, LostRecords, RequestFacts } from './recorded.ts'

const FLUSH_EVERY_MS = 2000
const CLOSE_RETRY_MS = 50
/** Bounds how long a batch can delay requests. With more keys in use, their records lag behind. */
const MAX_ROWS = 4000
/** Logged requests that wait. Writing one costs about a third of a request, so these take less than 1 % of a core. */
const MAX_LOGGED_PER_KEY = 30
const MAX_LOGGED = 500

/** Writes the whole batch or none of it. False if the store is busy. */
export type WriteBatch = (entries: KeyRequests[]) => Promise<boolean>

interface RecorderOptions {
  write: WriteBatch
  /** While this many keys wait, further ones are dropped. */
  maxWaiting: number
  onFailure: (error: unknown) => void
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
  logged: { rows: LogRow[]; omitted: number }
}

type LogRow = ReturnType<typeof toRow>

/** Collects one entry per key and writes them in batches, off the request path. A batch that fails is written again, before any other. */
export class BatchRecorder {
  readonly #options: RecorderOptions
  readonly #timer: NodeJS.Timeout
  readonly #waiting = new Map<string, KeyRequests>()
  #batch = new Map<string, KeyRequests>()
  #isClosing = false
  #lastFailure: unknown
  #logged = 0
  readonly #writeSome = shareConcurrent(() => this.#write())

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#writeSome(), FLUSH_EVERY_MS).unref()
  }

  get #pending(): number {
    return this.#batch.size + this.#waiting.size
  }

  get occupancy(): Occupancy {
    return { current: this.#pending, limit: this.#options.maxWaiting }
  }

  /** The caller adds to this entry until it is written. Undefined if too many are waiting. */
  entry(key: KeyReference, now: number): KeyRequests | undefined {
    const [id = ''] = Object.values(key)
    const waiting = this.#waiting.get(id)
    if (waiting !== undefined || this.#pending >= this.#options.maxWaiting) return waiting
    const state = { usedAt: null, refusedAt: null, refusal: null, leakedAt: null, leakedIn: null }
    const logged = { rows: [], omitted: 0 }
    const created: KeyRequests = { key, requests: 0, lastAt: now, counts: new Map(), ...state, logged }
    this.#waiting.set(id, created)
    return created
  }

  /** Keeps the first requests of each entry, but prefers refused ones. Every entry keeps at least one. */
  log({ logged }: KeyRequests, request: RequestFacts, now: number, reason: string | undefined): void {
    const { rows } = logged
    if (rows.length === 0 || (rows.length < MAX_LOGGED_PER_KEY && this.#logged < MAX_LOGGED)) this.#logged++
    else {
      logged.omitted++
      const replaced = reason === undefined ? -1 : rows.findLastIndex(({ outcome }) => outcome !== 'refused')
      if (replaced < 0) return
      rows.splice(replaced, 1)
    }
    rows.push(toRow(request, now, reason))
  }

  async #write(): Promise<void> {
    if (this.#batch.size === 0) this.#takeBatch()
    if (this.#batch.size === 0) return
    try {
      if (await this.#options.write([...this.#batch.values()])) {
        for (const { logged } of this.#batch.values()) this.#logged -= logged.rows.length
        this.#batch.clear()
      }
      this.#lastFailure = undefined
    } catch (error) {
      this.#lastFailure = error
      // close() reports the records that are lost.
      if (!this.#isClosing) this.#options.onFailure(error)
    }
  }

  #takeBatch(): void {
    let rows = 0
    for (const [id, entry] of this.#waiting) {
      this.#batch.set(id, entry)
      this.#waiting.delete(id)
      rows += 1 + entry.counts.size + entry.logged.rows.length
      if (rows >= MAX_ROWS) break
    }
  }

  /** Retries for up to `waitMs`, then returns the records that are lost. `cause` is undefined if the store was busy. */
  async close(waitMs: number): Promise<LostRecords> {
    clearInterval(this.#timer)
    this.#isClosing = true
    const deadline = performance.now() + waitMs
    // Shares a write that has begun, so that another attempt follows it.
    await this.#writeSome()
    for (;;) {
      await this.#writeSome()
      const isWritten = this.#batch.size === 0
      if (isWritten ? this.#waiting.size === 0 : performance.now() >= deadline) break
      if (!isWritten) await setTimeout(CLOSE_RETRY_MS)
    }
    const lost = [...this.#batch.values(), ...this.#waiting.values()]
    return { requests: lost.reduce((sum, entry) => sum + entry.requests, 0), cause: this.#lastFailure }
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
