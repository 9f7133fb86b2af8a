import type { Socket } from 'node:net'
import { FairShare } from './fair-share.ts'
import { whenAnswered } from './served-socket.ts'

/** Answers that the system has not taken yet, of all connections together. */
const MAX_BYTES = 64 * 1024 * 1024
/** What one key may have of it; a caller without a key counts by its address. */
const PORTION = 1 / 4
/** What a response costs besides its body: the request, the response, its head. */
const OVERHEAD_BYTES = 4096
/** Smaller ones are copied into the response; larger ones are the same Buffer for everyone who reads them. */
const SHARED_BYTES = 8192

interface Held {
  holder: string
  ownBytes: number
  shared: Buffer[]
}

/**
 * Knows what is waiting in this process until clients take it. A body that many read is in memory once, and counts once.
 * Most answers go to the system at once and are never seen here.
 */
export class BytesInFlight {
  readonly #shares: FairShare
  readonly #bySocket = new Map<Socket, Held[]>()
  readonly #readers = new Map<Buffer, Map<string, number>>()

  constructor(parts = 1) {
    this.#shares = new FairShare(MAX_BYTES / parts, PORTION)
  }

  get total(): number {
    return this.#shares.total
  }

  get isFull(): boolean {
    return this.#shares.isFull
  }

  /** Whether a new answer to this holder has to be refused. */
  isOver(holder: string): boolean {
    return this.#shares.total > 0 && this.#shares.isOver(holder)
  }

  /** The same for an answer that is there: a small one may always go. */
  refuses(holder: string, body: readonly Buffer[]): boolean {
    return this.isOver(holder) && body.some(({ length }) => length > SHARED_BYTES)
  }

  /** Counts an answer until the client has taken it and all those before it on its connection. */
  add(socket: Socket, holder: string, body: readonly Buffer[]): void {
    const held: Held = { holder, ownBytes: OVERHEAD_BYTES, shared: [] }
    for (const part of body) {
      if (part.length <= SHARED_BYTES) held.ownBytes += part.length
      else held.shared.push(part)
    }
    this.#shares.take(holder, held.ownBytes)
    for (const part of held.shared) this.#addReader(part, holder)
    const others = this.#bySocket.get(socket)
    if (others !== undefined) {
      others.push(held)
      return
    }
    this.#bySocket.set(socket, [held])
    whenAnswered(socket, () => this.#release(socket))
  }

  #release(socket: Socket): void {
    for (const { holder, ownBytes, shared } of this.#bySocket.get(socket) ?? []) {
      this.#shares.release(holder, ownBytes)
      for (const part of shared) this.#removeReader(part, holder)
    }
    this.#bySocket.delete(socket)
  }

  #addReader(part: Buffer, holder: string): void {
    const readers = this.#readers.get(part) ?? new Map<string, number>()
    const times = readers.get(holder) ?? 0
    if (times === 0) this.#shares.take(holder, part.length, readers.size === 0 ? part.length : 0)
    readers.set(holder, times + 1)
    this.#readers.set(part, readers)
  }

  #removeReader(part: Buffer, holder: string): void {
    const readers = this.#readers.get(part)
    const times = readers?.get(holder) ?? 0
    if (readers === undefined || times === 0) return
    if (times > 1) {
      readers.set(holder, times - 1)
      return
    }
    readers.delete(holder)
    this.#shares.release(holder, part.length, readers.size === 0 ? part.length : 0)
    if (readers.size === 0) this.#readers.delete(part)
  }
}
