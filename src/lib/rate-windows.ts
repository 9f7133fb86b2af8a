import { hash } from 'node:crypto'
import { RecentlyUsed } from './recently-used.ts'
import { LOCK_BYTES, SharedLock } from './shared-lock.ts'

export interface Quota {
  limit: number
  windowSeconds: number
}

/** The state of a window after the current request was counted. */
export interface QuotaWindow {
  used: number
  resetsAt: number
}

/**
 * A window that ends this much later than a new one would is replaced by that: the quota's window has been shortened, or the clock was
 * set back. Not merely later: PostgreSQL counts by the same rule, and there another statement may have opened it while this one
 * waited, for two seconds at most.
 */
export const LATER_SECONDS = 10

/** Can be sent to other threads, which then share the counts. */
export type RateWindowsMemory = SharedArrayBuffer

/** A slot holds an id's hash, its count, and the times at which the window opened and ends. */
const SLOT_NUMBERS = 4
const USED = 1
const OPENED_AT = 2
const RESETS_AT = 3

/** The slots take 32 MiB, but the system allocates only the pages that are written to. */
const SLOTS = 2 ** 20
/** An id is stored in its first slot or one of the next. While most slots are free, one of these is free too. */
const PROBED_SLOTS = 128
const HASHES_CACHED = 25_000

/**
 * Counts requests in fixed windows. A window opens with the first request that finds none open; when it ends, the whole quota
 * is available again. No two requests get the same count.
 *
 * The windows are a hash table of fixed size in memory that threads can share; one thread uses it at a time. A new window
 * replaces one that has ended, or an open one if all the slots it can use are open.
 */
export class RateWindows {
  readonly #lock: SharedLock
  readonly #numbers: Float64Array
  readonly #slots: number
  readonly clock: () => number
  readonly #hashes = new RecentlyUsed<number>(HASHES_CACHED)

  static createMemory(slots = SLOTS): RateWindowsMemory {
    return new SharedArrayBuffer(LOCK_BYTES + slots * SLOT_NUMBERS * Float64Array.BYTES_PER_ELEMENT)
  }

  constructor(clock: () => number = Date.now, memory = RateWindows.createMemory()) {
    this.#lock = new SharedLock(memory)
    this.#numbers = new Float64Array(memory, LOCK_BYTES)
    this.#slots = this.#numbers.length / SLOT_NUMBERS
    this.clock = clock
  }

  count(id: string, quota: Quota, requestedAt: number): QuotaWindow {
    const idHash = this.#hashes.getOrCreate(id, hashOf)
    this.#lock.take()
    try {
      const at = this.#find(idHash, requestedAt)
      if (this.#numbers[at] !== idHash) this.#numbers.set([idHash, 0, 0, 0], at)
      const now = this.#nowFor(at, requestedAt)
      if (!this.#isOpen(at, quota, now)) this.#numbers.set([0, now, now + quota.windowSeconds * 1000], at + USED)
      this.#numbers[at + USED] = this.#number(at + USED) + 1
      return this.#windowAt(at)
    } finally {
      this.#lock.release()
    }
  }

  /** Returns the open window, without counting; undefined if none is open. */
  peek(id: string, quota: Quota, requestedAt: number): QuotaWindow | undefined {
    const idHash = this.#hashes.getOrCreate(id, hashOf)
    this.#lock.take()
    try {
      const at = this.#find(idHash, requestedAt)
      const isOpen = this.#numbers[at] === idHash && this.#isOpen(at, quota, this.#nowFor(at, requestedAt))
      return isOpen ? this.#windowAt(at) : undefined
    } finally {
      this.#lock.release()
    }
  }

  /** The id's slot, or one it may take. If all are open, another id starts over, which is better than not counting this one. */
  #find(idHash: number, now: number): number {
    const first = idHash % this.#slots
    let free: number | undefined
    for (let i = 0; i < PROBED_SLOTS; i++) {
      const at = ((first + i) % this.#slots) * SLOT_NUMBERS
      if (this.#numbers[at] === idHash) return at
      // Slots are never emptied, so the id cannot be beyond an empty one.
      if (this.#numbers[at] === 0) return free ?? at
      if (free === undefined && this.#number(at + RESETS_AT) <= now) free = at
    }
    return free ?? first * SLOT_NUMBERS
  }

  /** Another thread may have read the clock later but counted first, so read it again. If it is still behind, it was set back. */
  #nowFor(at: number, requestedAt: number): number {
    return requestedAt < this.#number(at + OPENED_AT) ? this.clock() : requestedAt
  }

  #isOpen(at: number, { windowSeconds }: Quota, now: number): boolean {
    const resetsAt = this.#number(at + RESETS_AT)
    const isTooLong = resetsAt > now + (windowSeconds + LATER_SECONDS) * 1000
    return now >= this.#number(at + OPENED_AT) && now < resetsAt && !isTooLong
  }

  #windowAt(at: number): QuotaWindow {
    return { used: this.#number(at + USED), resetsAt: this.#number(at + RESETS_AT) }
  }

  #number(at: number): number {
    return this.#numbers[at] as number
  }
}

/** As much of a SHA-256 as a number holds exactly. Among a million ids, the chance of a collision is 1 in 10,000. */
const hashOf = (id: string): number => Number.parseInt(hash('sha256', id, 'hex').slice(0, 13), 16)
