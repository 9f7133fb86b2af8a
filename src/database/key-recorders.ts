import type { Occupancy } from '../lib/fair-share.ts'
import { BatchRecorder, type WriteBatch } from './batch-recorder.ts'
import { type Caller, describeCaller } from './caller.ts'
import type { IncidentReport, LostRecords } from './store.ts'
import type { UseRecorder } from './use-recorder.ts'

/** An incident that was reported `count` times since the last batch, its key and the key's day not yet looked up. */
export interface ReportedIncident extends IncidentReport {
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
      rowsOf: () => 1,
      maxWaiting: MAX_INCIDENTS,
      onFailure,
    })
  }

  get occupancy(): Occupancy {
    return this.#batches.occupancy
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
  const [first, last] = [new Date(firstAt).toISOString(), new Date(lastAt).toISOString()]
  return { ...report, count, firstAt: first, lastAt: last, client: describeCaller(caller) }
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
