import { BatchRecorder, type WriteBatch } from './batch-recorder.ts'
import { type Caller, describeCaller } from './caller.ts'
import type { IncidentReport, LostRecords } from './store.ts'

/** How a key was used since the last batch; counted on the day of its last use. */
export interface Use {
  keyId: string
  day: string
  count: number
  firstAt: string
  firstClient: string | null
  lastAt: string
  lastClient: string | null
}

export type WriteUses = WriteBatch<Use>

interface WaitingUse {
  keyId: string
  count: number
  firstAt: number
  firstCaller: Caller
  lastAt: number
  lastCaller: Caller
}

/** More keys than a service has in use at once. */
const MAX_KEYS = 1_000_000

/** Records when each key was used, how often, and by whom. */
export class UseRecorder {
  readonly #batches: BatchRecorder<WaitingUse>

  constructor(write: WriteUses, onFailure: (error: unknown) => void) {
    this.#batches = new BatchRecorder({
      write: (batch) => write(batch.map(toUse)),
      merge: mergeUses,
      maxWaiting: MAX_KEYS,
      onFailure,
    })
  }

  record(keyId: string, now: number, caller: Caller): void {
    const use = this.#batches.waiting(keyId)
    if (use === undefined) {
      const first = { keyId, count: 1, firstAt: now, firstCaller: caller, lastAt: now, lastCaller: caller }
      this.#batches.record(keyId, first)
      return
    }
    use.count++
    if (now < use.lastAt) return
    use.lastAt = now
    use.lastCaller = caller
  }

  /** Returns what was lost: uses, and of how many keys. */
  async close(waitMs: number): Promise<{ uses: number; keys: number; cause: unknown }> {
    const { entries, cause } = await this.#batches.close(waitMs)
    return { uses: entries.reduce((sum, { count }) => sum + count, 0), keys: entries.length, cause }
  }
}

function mergeUses(earlier: WaitingUse, later: WaitingUse): void {
  earlier.count += later.count
  if (later.lastAt < earlier.lastAt) return
  earlier.lastAt = later.lastAt
  earlier.lastCaller = later.lastCaller
}

function toUse({ keyId, count, firstAt, firstCaller, lastAt, lastCaller }: WaitingUse): Use {
  const last = new Date(lastAt).toISOString()
  return {
    keyId,
    day: last.slice(0, 10),
    count,
    firstAt: new Date(firstAt).toISOString(),
    firstClient: describeCaller(firstCaller),
    lastAt: last,
    lastClient: describeCaller(lastCaller),
  }
}

/** An incident that was reported `count` times since the last batch, its key not yet looked up. */
export interface ReportedIncident extends IncidentReport {
  day: string
  count: number
  firstAt: string
  lastAt: string
  client: string | null
}

export type WriteIncidents = WriteBatch<ReportedIncident>

interface WaitingIncident {
  report: IncidentReport
  count: number
  firstAt: number
  lastAt: number
  caller: Caller
}

/** Anyone can send keys that do not exist, so what this keeps and looks up is bounded. */
const MAX_INCIDENTS = 1000

/** Records incidents. Which key each concerns is looked up when a batch is written. */
export class IncidentRecorder {
  readonly #batches: BatchRecorder<WaitingIncident>

  constructor(write: WriteIncidents, onFailure: (error: unknown) => void) {
    this.#batches = new BatchRecorder({
      write: (batch) => write(batch.map(toIncident)),
      merge: mergeIncidents,
      maxWaiting: MAX_INCIDENTS,
      onFailure,
    })
  }

  record(report: IncidentReport, now: number, caller: Caller): void {
    const id = `${report.kind} ${report.keyId ?? report.hash ?? report.prefix}`
    this.#batches.record(id, { report, count: 1, firstAt: now, lastAt: now, caller })
  }

  /** Returns how many were lost. */
  async close(waitMs: number): Promise<{ incidents: number; cause: unknown }> {
    const { entries, cause } = await this.#batches.close(waitMs)
    return { incidents: entries.reduce((sum, { count }) => sum + count, 0), cause }
  }
}

function mergeIncidents(earlier: WaitingIncident, later: WaitingIncident): void {
  earlier.count += later.count
  earlier.lastAt = later.lastAt
  earlier.caller = later.caller
}

function toIncident({ report, count, firstAt, lastAt, caller }: WaitingIncident): ReportedIncident {
  const last = new Date(lastAt).toISOString()
  const first = new Date(firstAt).toISOString()
  return { ...report, day: last.slice(0, 10), count, firstAt: first, lastAt: last, client: describeCaller(caller) }
}

/** Has both write what is waiting, and reports what is lost if they cannot in time. */
export async function closeRecorders(
  uses: UseRecorder,
  incidents: IncidentRecorder,
  waitMs: number,
  onLost: (lost: LostRecords) => void,
): Promise<void> {
  const [lostUses, lostIncidents] = await Promise.all([uses.close(waitMs), incidents.close(waitMs)])
  const lost = { ...lostUses, incidents: lostIncidents.incidents, cause: lostUses.cause ?? lostIncidents.cause }
  if (lost.uses + lost.incidents > 0) onLost(lost)
}
