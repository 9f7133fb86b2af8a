import { BatchRecorder, type WriteBatch } from './batch-recorder.ts'
import { type Caller, describeCaller } from './caller.ts'

/** How a key was used since the last batch; of the day of its last use. */
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

interface Waiting {
  keyId: string
  count: number
  firstAt: number
  firstCaller: Caller
  lastAt: number
  lastCaller: Caller
}

/** All keys of a service in use at once, and more. */
const MAX_WAITING = 1_000_000

/** Remembers when each key was used, how often, and by whom. */
export class UseRecorder {
  readonly #batches: BatchRecorder<Waiting>

  constructor(write: WriteUses, onFailure: (error: unknown) => void) {
    this.#batches = new BatchRecorder({
      write: (batch) => write(batch.map(toUse)),
      merge,
      maxWaiting: MAX_WAITING,
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

  flush(): Promise<void> {
    return this.#batches.flush()
  }

  /** Gives what was lost: uses, and of how many keys. */
  async close(waitMs: number): Promise<{ uses: number; keys: number; cause: unknown }> {
    const { entries, cause } = await this.#batches.close(waitMs)
    return { uses: entries.reduce((sum, { count }) => sum + count, 0), keys: entries.length, cause }
  }
}

function merge(earlier: Waiting, later: Waiting): void {
  earlier.count += later.count
  if (later.lastAt < earlier.lastAt) return
  earlier.lastAt = later.lastAt
  earlier.lastCaller = later.lastCaller
}

function toUse({ keyId, count, firstAt, firstCaller, lastAt, lastCaller }: Waiting): Use {
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
