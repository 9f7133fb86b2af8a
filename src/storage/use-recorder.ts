export const FLUSH_EVERY_MS = 2000

export interface Use {
  keyId: string
  day: string
  count: number
  lastAt: string
}

type Pending = Map<string, { count: number; lastAt: number }>

/** Writes a batch whole or not at all. False: not now, the store is busy. */
export type WriteUses = (uses: Use[]) => Promise<boolean>

/**
 * Remembers when each key was used and how often, and has it written down in batches, off the request's path. A batch
 * that cannot be written is kept, grows only by key, and is tried again.
 */
export class UseRecorder {
  readonly #write: WriteUses
  readonly #onFailure: (error: unknown) => void
  readonly #timer: NodeJS.Timeout
  #uses: Pending = new Map()
  #writing: Promise<void> | undefined

  constructor(write: WriteUses, onFailure: (error: unknown) => void) {
    this.#write = write
    this.#onFailure = onFailure
    this.#timer = setInterval(() => this.flush(), FLUSH_EVERY_MS).unref()
  }

  record(keyId: string, now: number, count = 1): void {
    const use = this.#uses.get(keyId)
    if (use === undefined) this.#uses.set(keyId, { count, lastAt: now })
    else {
      use.count += count
      use.lastAt = Math.max(use.lastAt, now)
    }
  }

  flush(): Promise<void> {
    this.#writing ??= this.#flush().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  async #flush(): Promise<void> {
    if (this.#uses.size === 0) return
    const batch = this.#uses
    this.#uses = new Map()
    try {
      if (!(await this.#write(toUses(batch)))) this.#takeBack(batch)
    } catch (error) {
      this.#takeBack(batch)
      this.#onFailure(error)
    }
  }

  #takeBack(batch: Pending): void {
    for (const [keyId, { count, lastAt }] of batch) this.record(keyId, lastAt, count)
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.#writing
    await this.flush()
  }
}

const toUses = (batch: Pending): Use[] =>
  [...batch].map(([keyId, use]) => {
    const lastAt = new Date(use.lastAt).toISOString()
    return { keyId, day: lastAt.slice(0, 10), count: use.count, lastAt }
  })
