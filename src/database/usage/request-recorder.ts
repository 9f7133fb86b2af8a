import type { StoreStats } from '../store.ts'
import { BatchRecorder, type WriteBatch } from './batch-recorder.ts'
import type { KeyReference, LeakPlace, LostRecords, RequestFacts } from './recorded.ts'

/** More keys than any service uses at once. */
const MAX_KEYS = 1_000_000
/** Anyone can send made-up keys, so their number is bounded, apart from known keys. */
const MAX_UNKNOWN_KEYS = 1000

/** These are logged, but not counted as refusals: a client exchanges an expired token, and a key in a URL is a leak. */
const UNCOUNTED = ['token_expired', 'url']

/** Records requests by their key: in the request log, in the key's daily sums and in its state. */
export class RequestRecorder {
  readonly #keys: BatchRecorder
  readonly #unknownKeys: BatchRecorder

  constructor(write: WriteBatch, onFailure: (error: unknown) => void) {
    this.#keys = new BatchRecorder({ write, maxWaiting: MAX_KEYS, onFailure })
    this.#unknownKeys = new BatchRecorder({ write, maxWaiting: MAX_UNKNOWN_KEYS, onFailure })
  }

  recordRequest(key: KeyReference, now: number, request: RequestFacts, reason: string | undefined): void {
    const recorder = this.#recorderFor(key)
    const entry = recorder.entry(key, now)
    if (entry === undefined) return
    recorder.log(entry, request, now, reason)
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
    const entry = this.#recorderFor(key).entry(key, now)
    if (entry === undefined) return
    entry.leakedAt = now
    entry.leakedIn = place
  }

  get queues(): StoreStats['queues'] {
    return { use_records: this.#keys.occupancy, unknown_keys: this.#unknownKeys.occupancy }
  }

  /** Reports the records that could not be written within `waitMs`. */
  async close(waitMs: number, onLost: (lost: LostRecords) => void = () => {}): Promise<void> {
    const [known, unknown] = await Promise.all([this.#keys.close(waitMs), this.#unknownKeys.close(waitMs)])
    const requests = known.requests + unknown.requests
    if (requests > 0) onLost({ requests, cause: known.cause ?? unknown.cause })
  }

  #recorderFor = (key: KeyReference) => ('keyId' in key ? this.#keys : this.#unknownKeys)
}
