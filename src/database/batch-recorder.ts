import { setTimeout } from 'node:timers/promises'
import type { Occupancy } from '../lib/fair-share.ts'

const FLUSH_EVERY_MS = 2000
const CLOSE_RETRY_MS = 50
/** Bounds how long a batch can delay requests. With more keys in use, their records lag behind. */
const MAX_ROWS = 4000

/** Writes the whole batch or none of it. False if the store is busy. */
export type WriteBatch<Entry> = (entries: Entry[]) => Promise<boolean>

interface RecorderOptions<Entry> {
  write: WriteBatch<Entry>
  merge(earlier: Entry, later: Entry): void
  rowsOf(entry: Entry): number
  /** While this many ids wait, further ones are dropped. */
  maxWaiting: number
  onFailure: (error: unknown) => void
}

/** Collects one entry per id and writes them in batches, off the request path. Failed batches are retried. */
export class BatchRecorder<Entry extends { count: number }> {
  readonly #options: RecorderOptions<Entry>
  readonly #timer: NodeJS.Timeout
  readonly #waiting = new Map<string, Entry>()
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

  record(id: string, entry: Entry): void {
    const earlier = this.#waiting.get(id)
    if (earlier !== undefined) this.#options.merge(earlier, entry)
    else if (this.#waiting.size < this.#options.maxWaiting) this.#waiting.set(id, entry)
  }

  #writeSome(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  async #write(): Promise<void> {
    if (this.#waiting.size === 0) return
    const batch = this.#takeBatch()
    try {
      if (!(await this.#options.write(batch.map(([, entry]) => entry)))) this.#takeBack(batch)
      this.#lastFailure = undefined
    } catch (error) {
      this.#takeBack(batch)
      this.#lastFailure = error
      // close() reports the records that are lost.
      if (!this.#isClosing) this.#options.onFailure(error)
    }
  }

  #takeBatch(): [id: string, entry: Entry][] {
    const batch: [id: string, entry: Entry][] = []
    let rows = 0
    for (const [id, entry] of this.#waiting) {
      batch.push([id, entry])
      this.#waiting.delete(id)
      rows += this.#options.rowsOf(entry)
      if (rows >= MAX_ROWS) break
    }
    return batch
  }

  /** Entries that arrived in the meantime count as later. */
  #takeBack(batch: [id: string, entry: Entry][]): void {
    for (const [id, entry] of batch) {
      const later = this.#waiting.get(id)
      if (later !== undefined) this.#options.merge(entry, later)
      if (later !== undefined || this.#waiting.size < this.#options.maxWaiting) this.#waiting.set(id, entry)
    }
  }

  /** Retries for up to `waitMs`, then returns the records that are lost. `cause` is undefined if the store was busy. */
  async close(waitMs: number): Promise<{ ids: number; count: number; cause: unknown }> {
    clearInterval(this.#timer)
    this.#isClosing = true
    const deadline = performance.now() + waitMs
    await this.#writing
    while (this.#waiting.size > 0) {
      const before = this.#waiting.size
      await this.#writeSome()
      if (this.#waiting.size < before) continue
      if (performance.now() >= deadline) break
      await setTimeout(CLOSE_RETRY_MS)
    }
    const lost = [...this.#waiting.values()]
    this.#waiting.clear()
    return { ids: lost.length, count: lost.reduce((sum, { count }) => sum + count, 0), cause: this.#lastFailure }
  }
}
