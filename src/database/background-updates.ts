/**
 * Updates that change no response, only what a read costs: a read that meets many rows left to update asks for it here, and they
 * are updated off the request's path, a few at a time. Nothing is lost if one is late.
 */

/** Updates up to so many rows of a workspace that were due by then, and says how many. Undefined: not now, busy. */
export type UpdateSome = (workspaceId: string, by: number, atMost: number) => Promise<number | undefined>

const PAUSE_MS = 5
const BUSY_PAUSE_MS = 200
/** After a failure, such as a privilege that is missing, to try at every read would only fill the log. */
const REST_MS = 60_000

interface BackgroundOptions {
  update: UpdateSome
  /** How many are updated at once. As much time as that takes is left to others before the next batch. */
  rows: number
  onFailure: (error: unknown) => void
}

export class BackgroundUpdates {
  readonly #options: BackgroundOptions
  /** By when the rows of each workspace were due. */
  readonly #requested = new Map<string, number>()
  #restsUntil = 0
  #timer: NodeJS.Timeout | undefined
  #batch: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: BackgroundOptions) {
    this.#options = options
  }

  request(workspaceId: string, by: number): void {
    if (this.#isClosed || performance.now() < this.#restsUntil) return
    this.#requested.set(workspaceId, by)
    if (this.#timer === undefined) this.#schedule(PAUSE_MS)
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#batch = this.#next()
    }, ms).unref()
  }

  async #next(): Promise<void> {
    const [first] = this.#requested
    const pauseMs = first === undefined ? 0 : await this.#updateSome(...first)
    this.#timer = undefined
    if (this.#requested.size > 0 && !this.#isClosed) this.#schedule(pauseMs)
  }

  /** Gives the time to wait before the next batch. */
  async #updateSome(workspaceId: string, by: number): Promise<number> {
    const { update, rows, onFailure } = this.#options
    const startedAt = performance.now()
    try {
      const updated = await update(workspaceId, by, rows)
      if (updated === undefined) return BUSY_PAUSE_MS
      if (updated < rows) this.#requested.delete(workspaceId)
      return Math.max(PAUSE_MS, performance.now() - startedAt)
    } catch (error) {
      this.#requested.clear()
      this.#restsUntil = performance.now() + REST_MS
      onFailure(error)
      return 0
    }
  }

  /** What is not updated yet is updated another time. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#batch
  }
}
