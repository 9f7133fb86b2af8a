import { BatchRecorder, type WriteBatch } from './batch-recorder.ts'
import { type Caller, describeCaller } from './caller.ts'
import type { IncidentReport } from './store.ts'

/** A sighting that happened `count` times since the last batch, its key not yet looked up. */
export interface ReportedIncident extends IncidentReport {
  day: string
  count: number
  firstAt: string
  lastAt: string
  client: string | null
}

export type WriteIncidents = WriteBatch<ReportedIncident>

interface Waiting {
  sighting: IncidentReport
  count: number
  firstAt: number
  lastAt: number
  caller: Caller
}

/** Anyone may send keys that do not exist: what they can make this remember, and look up, is bounded. */
const MAX_WAITING = 1000

/** Remembers what was refused or seen amiss; which key it concerns is looked up when a batch is written. */
export class IncidentRecorder {
  readonly #batches: BatchRecorder<Waiting>

  constructor(write: WriteIncidents, onFailure: (error: unknown) => void) {
    this.#batches = new BatchRecorder({
      write: (batch) => write(batch.map(toIncident)),
      merge,
      maxWaiting: MAX_WAITING,
      onFailure,
    })
  }

  record(sighting: IncidentReport, now: number, caller: Caller): void {
    const id = `${sighting.kind} ${sighting.keyId ?? sighting.hash ?? sighting.prefix}`
    this.#batches.record(id, { sighting, count: 1, firstAt: now, lastAt: now, caller })
  }

  flush(): Promise<void> {
    return this.#batches.flush()
  }

  /** Gives how many were lost. */
  async close(waitMs: number): Promise<{ incidents: number; cause: unknown }> {
    const { entries, cause } = await this.#batches.close(waitMs)
    return { incidents: entries.reduce((sum, { count }) => sum + count, 0), cause }
  }
}

function merge(earlier: Waiting, later: Waiting): void {
  earlier.count += later.count
  earlier.lastAt = later.lastAt
  earlier.caller = later.caller
}

function toIncident({ sighting, count, firstAt, lastAt, caller }: Waiting): ReportedIncident {
  const last = new Date(lastAt).toISOString()
  const first = new Date(firstAt).toISOString()
  return { ...sighting, day: last.slice(0, 10), count, firstAt: first, lastAt: last, client: describeCaller(caller) }
}
