import { setTimeout } from 'node:timers/promises'
import type { Occupancy } from '../lib/fair-share.ts'
import { type KeptRequests, RequestKeeper } from './kept-requests.ts'

const FLUSH_EVERY_MS = 2000
const CLOSE_RETRY_MS = 50
/** Bounds how long a batch can delay requests. With more keys in use, their records lag behind. */
const MAX_ROWS = 4000

/** Writes the whole batch or none of it. False if the store is busy. */
export type WriteBatch<Entry> = (entries: Entry[]) => Promise<boolean>

interface RecorderOptions<Entry> {
  write: WriteBatch<Entry>
  /** While this many ids wait, further ones are dropped. */
  maxWaiting: number
  onFailure: (error: unknown) => void
}

interface Recorded {
  count: number
  callers?: readonly unknown[]
  kept: KeptRequests
}

/** Collects one entry per id and writes them in batches, off the request path. A batch that fails is written again, before any other. */
export class BatchRecorder<Entry extends Recorded> {
  readonly keeper = new RequestKeeper()
  readonly #options: RecorderOptions<Entry>
  readonly #timer: NodeJS.Timeout
  readonly #waiting = new Map<string, Entry>()
  #batch = new Map<string, Entry>()
  #writing: Promise<void> | undefined
  #isClosing = false
  #lastFailure: unknown

  constructor(options: RecorderOptions<Entry>) {
    this.#options = options
    this.#timer = setInterval(() => this.#writeSome(), FLUSH_EVERY_MS).unref()
  }

  get occupancy(): Occupancy {
    return { current: this.#waiting.size, limit: this.#options.maxWaiting }
  }

  /** The caller adds to this entry until it is written. Undefined if too many are waiting. */
  entry(id: string, create: () => Entry): Entry | undefined {
    const waiting = this.#waiting.get(id)
    if (waiting !== undefined || this.#waiting.size >= this.#options.maxWaiting) return waiting
    const created = create()
    this.#waiting.set(id, created)
    return created
  }

  #writeSome(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  async #write(): Promise<void> {
    if (this.#batch.size === 0) this.#takeBatch()
    if (this.#batch.size === 0) return
    try {
      if (await this.#options.write([...this.#batch.values()])) {
        for (const { kept } of this.#batch.values()) this.keeper.release(kept)
        this.#batch.clear()
      }
      this.#lastFailure = undefined
    } catch (error) {
      this.#lastFailure = error
      // close() reports the records that are lost.
      if (!this.#isClosing) this.#options.onFailure(error)
    }
  }

  #takeBatch(): void {
    let rows = 0
    for (const [id, entry] of this.#waiting) {
      this.#batch.set(id, entry)
      this.#waiting.delete(id)
      rows += 1 + (entry.callers?.length ?? 0) + entry.kept.rows.length
      if (rows >= MAX_ROWS) break
    }
  }

  /** Retries for up to `waitMs`, then returns the records that are lost. `cause` is undefined if the store was busy. */
  async close(waitMs: number): Promise<{ ids: number; count: number; cause: unknown }> {
    clearInterval(this.#timer)
    this.#isClosing = true
    const deadline = performance.now() + waitMs
    await this.#writing
    for (;;) {
      await this.#writeSome()
      const isWritten = this.#batch.size === 0
      if (isWritten ? this.#waiting.size === 0 : performance.now() >= deadline) break
      if (!isWritten) await setTimeout(CLOSE_RETRY_MS)
    }
    const lost = [...this.#batch, ...this.#waiting]
    const ids = new Set(lost.map(([id]) => id)).size
    return { ids, count: lost.reduce((sum, [, { count }]) => sum + count, 0), cause: this.#lastFailure }
  }
}
