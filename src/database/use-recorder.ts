import { BatchRecorder, type WriteBatch } from './batch-recorder.ts'
import { type Caller, describeCaller, productOf } from './caller.ts'
import type { IncidentReport, LostRecords, StoreStats } from './store.ts'

/** A key's usage since the last batch. It counts towards the day of the last use, in the workspace's timezone. */
export interface Use {
  keyId: string
  count: number
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
export interface ReportedIncident extends IncidentReport {
  count: number
  firstAt: number
  lastAt: number
  client: string | null
}

export interface RecordWriters {
  uses: WriteBatch<Use>
  incidents: WriteBatch<ReportedIncident>
}

/** More keys than any service uses at once. */
const MAX_KEYS = 1_000_000
/** Anyone can send made-up keys, so the number of waiting incidents is bounded. */
const MAX_INCIDENTS = 1000
/** Callers choose their own names, so the number per key is bounded. The database's triggers enforce the same bound. */
const MAX_CALLERS = 20

export class UseRecorder {
  readonly #uses: BatchRecorder<Use>
  readonly #incidents: BatchRecorder<ReportedIncident>

  constructor(write: RecordWriters, onFailure: (error: unknown) => void) {
    this.#uses = new BatchRecorder({
      write: write.uses,
      merge: mergeUses,
      rowsOf: ({ callers }) => 1 + callers.length,
      maxWaiting: MAX_KEYS,
      onFailure,
    })
    this.#incidents = new BatchRecorder({
      write: write.incidents,
      merge: mergeIncidents,
      rowsOf: () => 1,
      maxWaiting: MAX_INCIDENTS,
      onFailure,
    })
  }

  recordUse(keyId: string, now: number, caller: Caller, refused: boolean): void {
    const [client, times] = [describeCaller(caller), { count: 1, firstAt: now, lastAt: now }]
    const callers = [{ address: caller.address ?? '', agent: productOf(caller), ...times }]
    const use = { keyId, ...times, refused: refused ? 1 : 0, firstClient: client, lastClient: client, callers }
    this.#uses.record(keyId, use)
  }

  recordIncident(report: IncidentReport, now: number, caller: Caller): void {
    const id = `${report.kind} ${report.keyId ?? report.hash ?? report.prefix}`
    this.#incidents.record(id, { ...report, count: 1, firstAt: now, lastAt: now, client: describeCaller(caller) })
  }

  get queues(): StoreStats['queues'] {
    return { use_records: this.#uses.occupancy, incidents: this.#incidents.occupancy }
  }

  /** Reports the records that could not be written within `waitMs`. */
  async close(waitMs: number, onLost: (lost: LostRecords) => void = () => {}): Promise<void> {
    const [uses, incidents] = await Promise.all([this.#uses.close(waitMs), this.#incidents.close(waitMs)])
    const cause = uses.cause ?? incidents.cause
    if (uses.count + incidents.count > 0)
      onLost({ uses: uses.count, keys: uses.ids, incidents: incidents.count, cause })
  }
}

function mergeUses(earlier: Use, later: Use): void {
  earlier.count += later.count
  earlier.refused += later.refused
  for (const caller of later.callers) addCaller(earlier.callers, caller)
  if (later.lastAt < earlier.lastAt) return
  earlier.lastAt = later.lastAt
  earlier.lastClient = later.lastClient
}

function addCaller(callers: CallerUse[], added: CallerUse): void {
  const same = callers.find(({ address, agent }) => address === added.address && agent === added.agent)
  if (same === undefined) {
    // The caller seen longest ago makes room.
    if (callers.length >= MAX_CALLERS)
      callers.splice(callers.indexOf(callers.reduce((oldest, one) => (one.lastAt < oldest.lastAt ? one : oldest))), 1)
    callers.push(added)
    return
  }
  same.count += added.count
  same.firstAt = Math.min(same.firstAt, added.firstAt)
  same.lastAt = Math.max(same.lastAt, added.lastAt)
}

function mergeIncidents(earlier: ReportedIncident, later: ReportedIncident): void {
  earlier.count += later.count
  earlier.lastAt = later.lastAt
  earlier.client = later.client
}
