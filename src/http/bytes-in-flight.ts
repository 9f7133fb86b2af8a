import { FairShare } from '../lib/fair-share.ts'
import type { ServerResponse } from '../lib/node-http.ts'
import { isShared, lengthOf } from './responses.ts'

/**
 * The share of one workspace, or of one network for requests without a key. The largest `/tasks` response is 13.2 MB, or 15.4 MB as
 * MCP text: one can be sent while the next is prepared.
 */
const BYTES_PER_WORKSPACE = 32 * 1024 * 1024
/** Four full shares: 128 MiB, at most 256 MiB. */
const WORKSPACES_AT_ONCE = 4
/** The request, the response object and its head. */
const OVERHEAD_BYTES = 4096

/** Counts response bytes that clients have not read. A Buffer shared by many clients counts once, for the first. */
export class BytesInFlight extends FairShare {
  readonly #shared = new Map<Buffer, { holder: string; readers: number }>()

  constructor() {
    super(WORKSPACES_AT_ONCE * BYTES_PER_WORKSPACE, 1 / WORKSPACES_AT_ONCE)
  }

  /** Small responses are never shed. */
  shouldShed(holder: string, body: readonly Buffer[]): boolean {
    return this.total > 0 && body.some(isShared) && this.isRefused(holder)
  }

  /** Counts a response until the client has read it. */
  add(res: Pick<ServerResponse, 'once'>, holder: string, body: readonly Buffer[]): void {
    const shared = body.filter(isShared)
    const ownBytes = OVERHEAD_BYTES + lengthOf(body) - lengthOf(shared)
    this.take(holder, ownBytes)
    for (const part of shared) this.#addReader(part, holder)
    res.once('close', () => {
      this.release(holder, ownBytes)
      for (const part of shared) this.#removeReader(part)
    })
  }

  #addReader(part: Buffer, holder: string): void {
    const share = this.#shared.get(part)
    if (share === undefined) {
      this.take(holder, part.length)
      this.#shared.set(part, { holder, readers: 1 })
    } else share.readers++
  }

  #removeReader(part: Buffer): void {
    const share = this.#shared.get(part)
    if (share === undefined || --share.readers > 0) return
    this.#shared.delete(part)
    this.release(share.holder, part.length)
  }
}
