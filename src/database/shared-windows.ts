import { hash } from 'node:crypto'
import { SharedLock } from './shared-lock.ts'
import type { Quota, QuotaWindow, Windows } from './store.ts'

/** The shared memory; it can be sent to threads, and each creates its own SharedWindows over it. */
export interface WindowsMemory {
  control: SharedArrayBuffer
  table: SharedArrayBuffer
}

/** A slot is the hash of an id, in four words, and three numbers. It is empty if its count is 0. */
const SLOT_BYTES = 40
const SLOT_WORDS = 10
const SLOT_NUMBERS = 5
const USED = 2
const OPENED_AT = 3
const RESETS_AT = 4

const FIRST_SLOTS = 1024
/** A quarter of them may be open windows. This reserves addresses only; memory is taken as the table grows. */
const MOST_SLOTS = 2 ** 24

type Hash = readonly [number, number, number, number]

const HASHES_KEPT = 50_000

/**
 * The same windows as FixedWindows, shared by several threads: a hash table in shared memory, used by one thread at a
 * time. Windows that have ended are replaced; open ones never are, and the table grows to millions of them instead.
 */
export class SharedWindows implements Windows {
  readonly #lock: SharedLock
  readonly #slotsTaken: Int32Array
  readonly #table: SharedArrayBuffer
  readonly #clock: () => number
  readonly #hashes = new Map<string, Hash>()
  #words: Int32Array
  #numbers: Float64Array

  static createMemory(mostSlots = MOST_SLOTS): WindowsMemory {
    return {
      control: new SharedArrayBuffer(SharedLock.BYTES + Int32Array.BYTES_PER_ELEMENT),
      table: new SharedArrayBuffer(FIRST_SLOTS * SLOT_BYTES, { maxByteLength: mostSlots * SLOT_BYTES }),
    }
  }

  constructor({ control, table }: WindowsMemory, clock: () => number = Date.now) {
    this.#lock = new SharedLock(control)
    this.#slotsTaken = new Int32Array(control, SharedLock.BYTES, 1)
    this.#table = table
    this.#clock = clock
    this.#words = wordsOf(table)
    this.#numbers = numbersOf(table)
  }

  count(id: string, quota: Quota, now: number): QuotaWindow {
    const hashed = this.#hashOf(id)
    return this.#lock.hold(() => {
      this.#seeGrowth()
      return this.#count(this.#find(hashed, now), quota, now)
    })
  }

  /** Takes no slot for an id that has none. */
  peek(id: string, now: number): QuotaWindow | undefined {
    const hashed = this.#hashOf(id)
    return this.#lock.hold(() => {
      this.#seeGrowth()
      for (let slot = this.#startOf(hashed); !this.#isEmpty(slot); slot = this.#after(slot))
        if (this.#isOf(hashed, slot)) return this.#open(slot, now)
      return undefined
    })
  }

  #open(slot: number, asked: number): QuotaWindow | undefined {
    const at = slot * SLOT_NUMBERS
    const openedAt = this.#numbers[at + OPENED_AT] as number
    const now = asked < openedAt ? this.#clock() : asked
    if (this.#hasEnded(slot, now) || now < openedAt) return undefined
    return { used: this.#numbers[at + USED] as number, resetsAt: this.#numbers[at + RESETS_AT] as number }
  }

  #count(slot: number, quota: Quota, asked: number): QuotaWindow {
    const numbers = this.#numbers
    const at = slot * SLOT_NUMBERS
    const openedAt = numbers[at + OPENED_AT] as number
    // Another thread may have read its clock later than this one and still have been first. The clock was set back only if
    // the time is still earlier now.
    const now = asked < openedAt ? this.#clock() : asked
    if (numbers[at + USED] === 0 || now >= (numbers[at + RESETS_AT] as number) || now < openedAt) {
      numbers[at + USED] = 0
      numbers[at + OPENED_AT] = now
      numbers[at + RESETS_AT] = now + quota.windowSeconds * 1000
    }
    const used = (numbers[at + USED] as number) + 1
    numbers[at + USED] = used
    return { used, resetsAt: numbers[at + RESETS_AT] as number }
  }

  /** The id's slot, or a new one for it. An id is searched for from slot to slot, up to an empty one. */
  #find(hashed: Hash, now: number): number {
    let ended = -1
    for (let slot = this.#startOf(hashed); ; slot = this.#after(slot)) {
      if (this.#isEmpty(slot)) {
        if (ended === -1 && this.#isCrowded()) {
          this.#rebuild(now)
          return this.#find(hashed, now)
        }
        return this.#take(ended === -1 ? slot : ended, hashed)
      }
      if (this.#isOf(hashed, slot)) return slot
      if (ended === -1 && this.#hasEnded(slot, now)) ended = slot
    }
  }

  #take(slot: number, hashed: Hash): number {
    if (this.#isEmpty(slot)) this.#slotsTaken[0] = (this.#slotsTaken[0] as number) + 1
    this.#words.set(hashed, slot * SLOT_WORDS)
    this.#numbers.fill(0, slot * SLOT_NUMBERS + USED, (slot + 1) * SLOT_NUMBERS)
    return slot
  }

  /** Moves the open windows into an empty table, a larger one if there are many. */
  #rebuild(now: number): void {
    const open: Int32Array[] = []
    for (let slot = 0; slot < this.#slots; slot++) {
      if (this.#isEmpty(slot) || this.#hasEnded(slot, now)) continue
      open.push(this.#words.slice(slot * SLOT_WORDS, (slot + 1) * SLOT_WORDS))
    }
    // At its largest the table starts over: counting from one again is better than not counting.
    if (open.length * 4 > this.#slots)
      if (this.#table.byteLength * 2 <= this.#table.maxByteLength) this.#table.grow(this.#table.byteLength * 2)
      else open.length = 0
    this.#seeGrowth()
    this.#words.fill(0)
    this.#slotsTaken[0] = open.length
    for (const window of open) {
      let slot = this.#startOf(window)
      while (!this.#isEmpty(slot)) slot = this.#after(slot)
      this.#words.set(window, slot * SLOT_WORDS)
    }
  }

  /** Another thread may have enlarged the table. */
  #seeGrowth(): void {
    if (this.#words.byteLength === this.#table.byteLength) return
    this.#words = wordsOf(this.#table)
    this.#numbers = numbersOf(this.#table)
  }

  get #slots(): number {
    return this.#words.length / SLOT_WORDS
  }

  #isCrowded(): boolean {
    return (this.#slotsTaken[0] as number) * 2 >= this.#slots
  }

  #startOf(hashed: Hash | Int32Array): number {
    return (hashed[0] as number) & (this.#slots - 1)
  }

  #after(slot: number): number {
    return (slot + 1) & (this.#slots - 1)
  }

  #isEmpty(slot: number): boolean {
    return this.#numbers[slot * SLOT_NUMBERS + USED] === 0
  }

  #hasEnded(slot: number, now: number): boolean {
    return (this.#numbers[slot * SLOT_NUMBERS + RESETS_AT] as number) <= now
  }

  #isOf(hashed: Hash, slot: number): boolean {
    const words = this.#words
    const at = slot * SLOT_WORDS
    return (
      words[at] === hashed[0] &&
      words[at + 1] === hashed[1] &&
      words[at + 2] === hashed[2] &&
      words[at + 3] === hashed[3]
    )
  }

  #hashOf(id: string): Hash {
    const known = this.#hashes.get(id)
    if (known !== undefined) return known
    const hashed = hashOf(id)
    if (this.#hashes.size >= HASHES_KEPT) this.#hashes.clear()
    this.#hashes.set(id, hashed)
    return hashed
  }
}

/** Half of a SHA-256: no two ids share it. */
function hashOf(id: string): Hash {
  const digest = hash('sha256', id, 'binary')
  const byte = (i: number) => digest.charCodeAt(i)
  const word = (i: number) => byte(i) | (byte(i + 1) << 8) | (byte(i + 2) << 16) | (byte(i + 3) << 24)
  return [word(0), word(4), word(8), word(12)]
}

/** With a fixed length: views that track a growing buffer are slower. */
const wordsOf = (table: SharedArrayBuffer) => new Int32Array(table, 0, table.byteLength / 4)
const numbersOf = (table: SharedArrayBuffer) => new Float64Array(table, 0, table.byteLength / 8)
