import { setTimeout } from 'node:timers/promises'

export const FLUSH_EVERY_MS = 2000
const CLOSE_RETRY_MS = 50
/**
 * Written in one go, so that no request waits long for it. With more keys in use than that their records are a while behind,
 * rather than every request dearer by a record of its own.
 */
const MAX_BATCH = 2000

/** Writes a batch whole or not at all. False: not now, the store is busy. */
export type WriteBatch<Entry> = (entries: Entry[]) => Promise<boolean>

export interface Unwritten<Entry> {
  entries: Entry[]
  /** Why the last attempt failed; undefined if the store was busy. */
  cause: unknown
}

interface RecorderOptions<Entry> {
  write: WriteBatch<Entry>
  /** Takes a later entry of the same id into an earlier one. */
  merge(earlier: Entry, later: Entry): void
  /** How many ids may wait at once; what comes on top is dropped until the next batch is written. */
  maxWaiting: number
  onFailure: (error: unknown) => void
}

/**
 * Remembers what happened, one entry per id, and has it written down in batches, off the request's path. A batch that
 * cannot be written is kept, grows only by id, and is tried again.
 */
export class BatchRecorder<Entry> {
  readonly #options: RecorderOptions<Entry>
  readonly #timer: NodeJS.Timeout
  #waiting = new Map<string, Entry>()
  #writing: Promise<void> | undefined
  #isClosing = false
  #lastFailure: unknown

  constructor(options: RecorderOptions<Entry>) {
    this.#options = options
    this.#timer = setInterval(() => this.#writeSome(), FLUSH_EVERY_MS).unref()
  }

  /** What waits under an id, to be added to in place: cheaper than a merge, for what every request does. */
  waiting(id: string): Entry | undefined {
    return this.#waiting.get(id)
  }

  record(id: string, entry: Entry): void {
    const earlier = this.#waiting.get(id)
    if (earlier !== undefined) this.#options.merge(earlier, entry)
    else if (this.#waiting.size < this.#options.maxWaiting) this.#waiting.set(id, entry)
  }

  /** Writes all that waits, or tries to. */
  async flush(): Promise<void> {
    await this.#writing
    for (let left = this.#waiting.size; left > 0; left -= MAX_BATCH) await this.#writeSome()
  }

  #writeSome(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  async #write(): Promise<void> {
    if (this.#waiting.size === 0) return
    const batch = this.#waiting.entries().take(MAX_BATCH).toArray()
    for (const [id] of batch) this.#waiting.delete(id)
    try {
      if (!(await this.#options.write(batch.map(([, entry]) => entry)))) this.#takeBack(batch)
      this.#lastFailure = undefined
    } catch (error) {
      this.#takeBack(batch)
      this.#lastFailure = error
      // Of what could not be written at the end, close() tells.
      if (!this.#isClosing) this.#options.onFailure(error)
    }
  }

  /** What came meanwhile is the later one. */
  #takeBack(batch: [id: string, entry: Entry][]): void {
    for (const [id, entry] of batch) {
      const later = this.#waiting.get(id)
      if (later !== undefined) this.#options.merge(entry, later)
      if (later !== undefined || this.#waiting.size < this.#options.maxWaiting) this.#waiting.set(id, entry)
    }
  }

  /** Writes what waits, and tries again for so long; what is left then is lost, and given back. */
  async close(waitMs: number): Promise<Unwritten<Entry>> {
    clearInterval(this.#timer)
    this.#isClosing = true
    const deadline = performance.now() + waitMs
    await this.flush()
    while (this.#waiting.size > 0 && performance.now() < deadline) {
      await setTimeout(CLOSE_RETRY_MS)
      await this.flush()
    }
    const entries = [...this.#waiting.values()]
    this.#waiting.clear()
    return { entries, cause: this.#lastFailure }
  }
}
