/**
 * A snooze ends by the passing of time, which changes no row. A read finds the tasks that have woken since anybody looked
 * by the moment they wake, and sorts them in among the others, which is quick as long as they are few. Where they are many
 * it gives notice here, and they are marked as woken, off the request's path and a few at a time, so that afterwards they
 * stand in the indexes of the awake. A mark changes no answer, only what it costs: nothing is lost if one is late.
 */
export const MANY_UNMARKED = 100

/** Marks up to so many of the tasks of a workspace that had woken by then, and says how many. Undefined: not now, busy. */
export type MarkWoken = (workspaceId: string, by: number, atMost: number) => Promise<number | undefined>

const FEWEST_ROWS = 20
const MOST_ROWS = 1000
const PAUSE_MS = 5
const BUSY_PAUSE_MS = 200
/** After a failure, such as a privilege that is missing, to try at every read would only fill the log. */
const REST_MS = 60_000

interface WakingOptions {
  mark: MarkWoken
  /** What one batch should take. As much time again is left to others before the next. */
  batchMs: number
  onFailure: (error: unknown) => void
}

export class Waking {
  readonly #options: WakingOptions
  /** By when the tasks of each workspace had woken. */
  readonly #noticed = new Map<string, number>()
  #rows = FEWEST_ROWS
  #restsUntil = 0
  #timer: NodeJS.Timeout | undefined
  #batch: Promise<void> = Promise.resolve()
  #isClosed = false

  constructor(options: WakingOptions) {
    this.#options = options
  }

  notice(workspaceId: string, by: number): void {
    if (this.#isClosed || performance.now() < this.#restsUntil) return
    this.#noticed.set(workspaceId, by)
    if (this.#timer === undefined) this.#schedule(PAUSE_MS)
  }

  #schedule(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#batch = this.#next()
    }, ms).unref()
  }

  async #next(): Promise<void> {
    const [first] = this.#noticed
    const pauseMs = first === undefined ? 0 : await this.#markSome(...first)
    this.#timer = undefined
    if (this.#noticed.size > 0 && !this.#isClosed) this.#schedule(pauseMs)
  }

  /** Gives the time to wait before the next batch. */
  async #markSome(workspaceId: string, by: number): Promise<number> {
    const { mark, batchMs, onFailure } = this.#options
    const startedAt = performance.now()
    try {
      const atMost = this.#rows
      const marked = await mark(workspaceId, by, atMost)
      if (marked === undefined) return BUSY_PAUSE_MS
      if (marked < atMost) this.#noticed.delete(workspaceId)
      const tookMs = performance.now() - startedAt
      this.#rows = Math.round(Math.min(MOST_ROWS, Math.max(FEWEST_ROWS, (atMost * batchMs) / tookMs)))
      return Math.max(PAUSE_MS, tookMs)
    } catch (error) {
      this.#noticed.clear()
      this.#restsUntil = performance.now() + REST_MS
      onFailure(error)
      return 0
    }
  }

  /** What is not marked yet is marked another time. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#batch
  }
}
