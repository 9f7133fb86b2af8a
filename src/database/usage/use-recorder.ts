import type { StoreStats } from '../store.ts'
import { BatchRecorder, type RecorderEntry, type WriteBatch } from './batch-recorder.ts'
import { type Caller, describeCaller, productOf } from './caller.ts'
import type { KeyIncident, LostRecords, RequestFacts } from './recorded.ts'

/** A key's usage since the last batch. It counts towards the day of the last use, in the workspace's timezone. */
export interface Use extends RecorderEntry {
  keyId: string
  refused: number
  firstAt: number
  firstClient: string | null
  lastAt: number
  lastClient: string | null
  callers: CallerUse[]
}

/** Unknown fields are empty strings. */
interface CallerUse {
  address: string
  agent: string
  count: number
  firstAt: number
  lastAt: number
}

/** The key is looked up when the incident is written. */
export interface RecordedIncident extends KeyIncident, RecorderEntry {
  firstAt: number
  lastAt: number
  client: string | null
}

export interface RecordWriters {
  uses: WriteBatch<Use>
  incidents: WriteBatch<RecordedIncident>
}

/** More keys than any service uses at once. */
const MAX_KEYS = 1_000_000
/** Anyone can send made-up keys, so their number is bounded, apart from the incidents of known keys. */
const MAX_UNKNOWN_KEYS = 1000
/** Callers choose their own names, so the number per key is bounded. The database's triggers enforce the same bound. */
const MAX_CALLERS = 20

export class UseRecorder {
  readonly #uses: BatchRecorder<Use>
  readonly #incidents: BatchRecorder<RecordedIncident>
  readonly #unknownKeys: BatchRecorder<RecordedIncident>

  constructor(write: RecordWriters, onFailure: (error: unknown) => void) {
    this.#uses = new BatchRecorder({ write: write.uses, maxWaiting: MAX_KEYS, onFailure })
    this.#incidents = new BatchRecorder({ write: write.incidents, maxWaiting: MAX_KEYS, onFailure })
    this.#unknownKeys = new BatchRecorder({ write: write.incidents, maxWaiting: MAX_UNKNOWN_KEYS, onFailure })
  }

  recordUse(keyId: string, now: number, request: RequestFacts): void {
    const { caller, refusalReason } = request
    const client = describeCaller(caller)
    const use = this.#uses.entry(keyId, () => unused(keyId, now, client))
    if (use === undefined) return
    use.count++
    if (refusalReason !== undefined) use.refused++
    if (now >= use.lastAt) {
      use.lastAt = now
      use.lastClient = client
    }
    addCaller(use.callers, caller.address ?? '', productOf(caller), now)
    this.#uses.log(use, request, now, refusalReason)
  }

  recordIncident(incident: KeyIncident, now: number, caller: Caller, request?: RequestFacts): void {
    const id = `${incident.kind} ${incident.keyId ?? incident.hash ?? incident.prefix}`
    const times = { count: 0, firstAt: now, lastAt: now }
    const recorder = incident.keyId === undefined ? this.#unknownKeys : this.#incidents
    const entry = recorder.entry(id, () => ({ ...incident, ...times, client: null, logged: { rows: [], omitted: 0 } }))
    if (entry === undefined) return
    entry.count++
    entry.lastAt = now
    entry.client = describeCaller(caller)
    const reason = incident.kind === 'url' ? 'url' : request?.refusalReason
    if (request !== undefined) recorder.log(entry, request, now, reason)
  }

  get queues(): StoreStats['queues'] {
    // Incidents of known keys are as few as the keys.
    return { use_records: this.#uses.occupancy, incidents: this.#unknownKeys.occupancy }
  }

  /** Reports the records that could not be written within `waitMs`. */
  async close(waitMs: number, onLost: (lost: LostRecords) => void = () => {}): Promise<void> {
    const [uses, ofKeys, ofUnknownKeys] = await Promise.all([
      this.#uses.close(waitMs),
      this.#incidents.close(waitMs),
      this.#unknownKeys.close(waitMs),
    ])
    const incidents = ofKeys.count + ofUnknownKeys.count
    const cause = uses.cause ?? ofKeys.cause ?? ofUnknownKeys.cause
    if (uses.count + incidents > 0) onLost({ uses: uses.count, keys: uses.ids, incidents, cause })
  }
}

const unused = (keyId: string, now: number, client: string | null): Use => ({
  ...{ keyId, count: 0, refused: 0, firstAt: now, firstClient: client, lastAt: now, lastClient: client },
  ...{ callers: [], logged: { rows: [], omitted: 0 } },
})

function addCaller(callers: CallerUse[], address: string, agent: string, now: number): void {
  const same = callers.find((each) => each.address === address && each.agent === agent)
  if (same !== undefined) {
    same.count++
    same.firstAt = Math.min(same.firstAt, now)
    same.lastAt = Math.max(same.lastAt, now)
    return
  }
  // Replaces the least recently seen caller.
  if (callers.length >= MAX_CALLERS)
    callers.splice(callers.indexOf(callers.reduce((oldest, one) => (one.lastAt < oldest.lastAt ? one : oldest))), 1)
  callers.push({ address, agent, count: 1, firstAt: now, lastAt: now })
}
