import type { Socket } from 'node:net'
import { FairShare, type Occupancy } from '../lib/fair-share.ts'
import type { BodyPart } from '../operation.ts'
import { whenAnswered } from './node-internals.ts'
import { isUncopied, lengthOf } from './responses.ts'

/**
 * The largest `/tasks` is 13.2 MB, and 15.4 MB as the text of an MCP result of 2025-03-26: one can be read while the next is
 * prepared.
 */
const LARGEST_RESPONSE_BYTES = 32 * 1024 * 1024
/** Per workspace: enough to read one such response slowly and request the next. */
const MAX_BYTES_EACH = LARGEST_RESPONSE_BYTES
/** The most that one workspace, or one network without a key, may have of all. */
const MAX_SHARE = 1 / 4
/**
 * Responses of all connections of a worker that wait in its memory: 128 MiB, and 256 at the very most. Not divided by the
 * number of workers, because a share must not be smaller than a response.
 */
const MAX_BYTES = MAX_BYTES_EACH / MAX_SHARE
/** What a response costs besides its body: the request, the response, its head. */
const OVERHEAD_BYTES = 4096

/**
 * Counts the bytes of responses that wait in this process until their clients read them. Most fit into the socket's buffer at
 * once and are never counted. A Buffer that many read is in memory once, so it counts once, for the first that reads it.
 */
export class BytesInFlight {
  readonly #shares = new FairShare(MAX_BYTES, MAX_SHARE)
  readonly #releases = new Map<Socket, (() => void)[]>()
  readonly #shared = new Map<Buffer, { holder: string; readers: number }>()

  get total(): number {
    return this.#shares.total
  }

  get occupancy(): Occupancy {
    return this.#shares.occupancy
  }

  get isFull(): boolean {
    return this.#shares.isFull
  }

  /** Whether this holder has to read what is waiting for it before it gets another response. */
  hasFullShare(holder: string): boolean {
    return this.#shares.total > 0 && this.#shares.hasFullShare(holder)
  }

  /** Whether to shed a response that is ready. A small one is always sent. */
  shouldShed(holder: string, body: readonly BodyPart[]): boolean {
    return body.some(isUncopied) && this.#shares.isOver(holder)
  }

  /** Counts a response until the client has read it and all those before it on its connection. */
  add(socket: Socket, holder: string, body: readonly BodyPart[]): void {
    const shared = body.filter(isUncopied)
    const ownBytes = OVERHEAD_BYTES + lengthOf(body) - lengthOf(shared)
    this.#shares.take(holder, ownBytes)
    for (const part of shared) this.#addReader(part, holder)
    const release = () => {
      this.#shares.release(holder, ownBytes)
      for (const part of shared) this.#removeReader(part)
    }
    const others = this.#releases.get(socket)
    this.#releases.set(socket, [...(others ?? []), release])
    if (others === undefined) whenAnswered(socket, () => this.#releaseAll(socket))
  }

  #releaseAll(socket: Socket): void {
    for (const release of this.#releases.get(socket) ?? []) release()
    this.#releases.delete(socket)
  }

  #addReader(part: Buffer, holder: string): void {
    const known = this.#shared.get(part)
    if (known === undefined) this.#shares.take(holder, part.length)
    this.#shared.set(part, { holder: known?.holder ?? holder, readers: (known?.readers ?? 0) + 1 })
  }

  #removeReader(part: Buffer): void {
    const known = this.#shared.get(part)
    if (known === undefined || --known.readers > 0) return
    this.#shared.delete(part)
    this.#shares.release(known.holder, part.length)
  }
}
