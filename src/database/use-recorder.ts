import type { Occupancy } from '../lib/fair-share.ts'
import { BatchRecorder, type WriteBatch } from './batch-recorder.ts'
import { type Caller, clientText, productOf } from './caller.ts'

/** How a key was used since the last batch; counted on the day of its last use, in its workspace's timezone. */
export interface Use {
  keyId: string
  count: number
  /** How many of them were refused. */
  refused: number
  firstAt: string
  firstClient: string | null
  lastAt: string
  lastClient: string | null
  callers: CallerUse[]
}

/** What is not known of a caller is empty. */
interface CallerUse {
  address: string
  agent: string
  count: number
  firstAt: string
  lastAt: string
}

export type WriteUses = WriteBatch<Use>

interface WaitingCaller {
  address: string
  agent: string
  count: number
  firstAt: number
  lastAt: number
}

interface WaitingUse {
  keyId: string
  count: number
  refused: number
  callers: WaitingCaller[]
  firstAt: number
  first: WaitingCaller
  lastAt: number
  /** Whoever used it last, as the request named them: most often they send the next request as well. */
  lastCaller: Caller
  last: WaitingCaller
}

/** More keys than a service has in use at once. */
const MAX_KEYS = 1_000_000
/**
 * Callers of one key, in a batch and in the database, whose triggers know the same number. A caller chooses its own name, so
 * there can be any number of them; a person looks at the last few.
 */
const MAX_CALLERS = 20

/** Records when each key was used, how often, and by whom. */
export class UseRecorder {
  readonly #batches: BatchRecorder<WaitingUse>

  constructor(write: WriteUses, onFailure: (error: unknown) => void) {
    this.#batches = new BatchRecorder({
      write: (batch) => write(batch.map(toUse)),
      merge: mergeUses,
      rowsOf: ({ callers }) => 1 + callers.length,
      maxWaiting: MAX_KEYS,
      onFailure,
    })
  }

  get occupancy(): Occupancy {
    return this.#batches.occupancy
  }

  record(keyId: string, now: number, caller: Caller, refused: boolean): void {
    const use = this.#batches.waiting(keyId)
    if (use === undefined) {
      this.#batches.record(keyId, firstUse(keyId, now, caller, refused))
      return
    }
    use.count++
    if (refused) use.refused++
    const { lastCaller, last } = use
    const isLater = now >= use.lastAt
    if (isLater) use.lastAt = now
    // On every request: the same caller again costs two comparisons, and no allocation.
    if (lastCaller.address === caller.address && lastCaller.agent === caller.agent) {
      last.count++
      if (isLater) last.lastAt = now
      return
    }
    const noted = addCaller(use.callers, waitingCaller(caller, now))
    if (!isLater) return
    use.lastCaller = caller
    use.last = noted
  }

  /** Returns what was lost: uses, and of how many keys. */
  async close(waitMs: number): Promise<{ uses: number; keys: number; cause: unknown }> {
    const { entries, cause } = await this.#batches.close(waitMs)
    return { uses: entries.reduce((sum, { count }) => sum + count, 0), keys: entries.length, cause }
  }
}

function firstUse(keyId: string, now: number, lastCaller: Caller, refused: boolean): WaitingUse {
  const first = waitingCaller(lastCaller, now)
  const times = { firstAt: now, lastAt: now }
  return { keyId, count: 1, refused: refused ? 1 : 0, callers: [first], first, ...times, lastCaller, last: first }
}

const waitingCaller = (caller: Caller, now: number): WaitingCaller => ({
  address: caller.address ?? '',
  agent: productOf(caller),
  count: 1,
  firstAt: now,
  lastAt: now,
})

/** Returns the entry that it was counted in. The one seen longest ago makes room. */
function addCaller(callers: WaitingCaller[], added: WaitingCaller): WaitingCaller {
  const same = callers.find(({ address, agent }) => address === added.address && agent === added.agent)
  if (same !== undefined) {
    same.count += added.count
    same.firstAt = Math.min(same.firstAt, added.firstAt)
    same.lastAt = Math.max(same.lastAt, added.lastAt)
    return same
  }
  callers.push(added)
  if (callers.length > MAX_CALLERS) callers.splice(indexOfOldest(callers), 1)
  return added
}

const indexOfOldest = (callers: readonly WaitingCaller[]): number =>
  callers.reduce((oldest, { lastAt }, i) => (lastAt < (callers[oldest]?.lastAt ?? 0) ? i : oldest), 0)

function mergeUses(earlier: WaitingUse, later: WaitingUse): void {
  earlier.count += later.count
  earlier.refused += later.refused
  for (const caller of later.callers) addCaller(earlier.callers, caller)
  if (later.lastAt < earlier.lastAt) return
  earlier.lastAt = later.lastAt
  earlier.lastCaller = later.lastCaller
  earlier.last = addCaller(earlier.callers, { ...later.last, count: 0 })
}

const instant = (ms: number): string => new Date(ms).toISOString()

const toUse = ({ keyId, count, refused, callers, firstAt, first, lastAt, last }: WaitingUse): Use => ({
  keyId,
  count,
  refused,
  firstAt: instant(firstAt),
  firstClient: clientText(first.agent, first.address),
  lastAt: instant(lastAt),
  lastClient: clientText(last.agent, last.address),
  callers: callers.map((each) => ({ ...each, firstAt: instant(each.firstAt), lastAt: instant(each.lastAt) })),
})
