import { hash } from 'node:crypto'
import { RecentlyUsed } from '../lib/recently-used.ts'

export interface Quota {
  limit: number
  windowSeconds: number
}

/** The state of a window once this request has been counted. */
export interface QuotaWindow {
  used: number
  resetsAt: number
}

/** Can be sent to threads, which then count together. */
export type WindowsMemory = SharedArrayBuffer

/** A slot holds the hash of an id, the count, and when the window opened and will end. */
const SLOT_NUMBERS = 4
const USED = 1
const OPENED_AT = 2
const RESETS_AT = 3

/** The open windows take 32 MiB, of which the system provides only the pages that are written to. */
const SLOTS = 2 ** 20
/** An id is in one of these slots from its first one on. While most slots are free, one of them is. */
const PROBED_SLOTS = 128
const HASHES_CACHED = 25_000

/**
 * Counts requests in fixed windows. A window opens with the first request that finds none, and its end restores the whole
 * quota. No two requests get the same place.
 *
 * It is a hash table in memory that threads can share, used by one thread at a time. A window that has ended makes room for
 * another; an open one only if all around it are open too, so its size is bounded.
 */
export class Windows {
  readonly #lock: SharedLock
  readonly #numbers: Float64Array
  readonly #slots: number
  readonly #clock: () => number
  readonly #hashes = new RecentlyUsed<number>(HASHES_CACHED)

  static createMemory(slots = SLOTS): WindowsMemory {
    return new SharedArrayBuffer(LOCK_BYTES + slots * SLOT_NUMBERS * Float64Array.BYTES_PER_ELEMENT)
  }

  constructor(clock: () => number = Date.now, memory = Windows.createMemory()) {
    this.#lock = new SharedLock(memory)
    this.#numbers = new Float64Array(memory, LOCK_BYTES)
    this.#slots = this.#numbers.length / SLOT_NUMBERS
    this.#clock = clock
  }

  count(id: string, quota: Quota, asked: number): QuotaWindow {
    const hashed = this.#hashes.getOrCreate(id, hashOf)
    this.#lock.take()
    try {
      const at = this.#find(hashed, asked)
      if (this.#numbers[at] !== hashed) this.#numbers.set([hashed, 0, 0, 0], at)
      const now = this.#nowFor(at, asked)
      if (!this.#isOpen(at, now)) this.#numbers.set([0, now, now + quota.windowSeconds * 1000], at + USED)
      this.#numbers[at + USED] = this.#number(at + USED) + 1
      return this.#windowAt(at)
    } finally {
      this.#lock.release()
    }
  }

  /** The window that is open now, without counting; undefined if none is. */
  peek(id: string, asked: number): QuotaWindow | undefined {
    const hashed = this.#hashes.getOrCreate(id, hashOf)
    this.#lock.take()
    try {
      const at = this.#find(hashed, asked)
      const isOpen = this.#numbers[at] === hashed && this.#isOpen(at, this.#nowFor(at, asked))
      return isOpen ? this.#windowAt(at) : undefined
    } finally {
      this.#lock.release()
    }
  }

  /** The id's slot, or one it may take. If all are open, another id starts over, which is better than not counting. */
  #find(hashed: number, now: number): number {
    const first = hashed % this.#slots
    let free: number | undefined
    for (let i = 0; i < PROBED_SLOTS; i++) {
      const at = ((first + i) % this.#slots) * SLOT_NUMBERS
      if (this.#numbers[at] === hashed) return at
      // No slot is ever emptied, so the id is not behind an empty one.
      if (this.#numbers[at] === 0) return free ?? at
      if (free === undefined && this.#number(at + RESETS_AT) <= now) free = at
    }
    return free ?? first * SLOT_NUMBERS
  }

  /** Another thread may have read its clock later and come first. If the time is still earlier, it was set back. */
  #nowFor(at: number, asked: number): number {
    return asked < this.#number(at + OPENED_AT) ? this.#clock() : asked
  }

  #isOpen(at: number, now: number): boolean {
    return now >= this.#number(at + OPENED_AT) && now < this.#number(at + RESETS_AT)
  }

  #windowAt(at: number): QuotaWindow {
    return { used: this.#number(at + USED), resetsAt: this.#number(at + RESETS_AT) }
  }

  #number(at: number): number {
    return this.#numbers[at] as number
  }
}

/** As much of a SHA-256 as a number holds exactly. That two of a million ids share it has a chance of 1 in 10,000. */
const hashOf = (id: string): number => Number.parseInt(hash('sha256', id, 'hex').slice(0, 13), 16)

const FREE = 0
const TAKEN = 1
const WANTED = 2
/** A whole number, so that the numbers behind it are aligned. */
const LOCK_BYTES = 8
/** About as long as a running holder works. For a holder that was suspended, the waiting thread sleeps. */
const SPINS = 100

/** A lock over all threads that share the memory. For work of a microsecond, because a waiting thread is blocked. */
class SharedLock {
  readonly #state: Int32Array<SharedArrayBuffer>

  constructor(memory: SharedArrayBuffer) {
    this.#state = new Int32Array(memory, 0, 1)
  }

  take(): void {
    for (let spin = 0; spin < SPINS; spin++) if (Atomics.compareExchange(this.#state, 0, FREE, TAKEN) === FREE) return
    // Left marked as wanted by the thread that takes it here, because others may still sleep.
    while (Atomics.exchange(this.#state, 0, WANTED) !== FREE) Atomics.wait(this.#state, 0, WANTED)
  }

  release(): void {
    if (Atomics.exchange(this.#state, 0, FREE) === WANTED) Atomics.notify(this.#state, 0, 1)
  }
}
