import { setTimeout } from 'node:timers/promises'

/** Updates up to so many rows of a workspace that were due by then, and returns how many. Undefined: not now, busy. */
export type UpdateSome = (workspaceId: string, by: number, atMost: number) => Promise<number | undefined>

const PAUSE_MS = 5
const BUSY_PAUSE_MS = 200
/** After a failure, such as a missing privilege, to try at every read would only fill the log. */
const REST_MS = 60_000

interface BackgroundOptions {
  update: UpdateSome
  /** How many are updated at once. As much time as that takes is left to others before the next batch. */
  rows: number
  onFailure: (error: unknown) => void
}

/**
 * Updates that change no response, only what a read costs. A read that meets many rows left to update requests it here, and they
 * are updated off the request's path, a few at a time. Nothing is lost if one is late, or left out when the store is closed.
 */
export class BackgroundUpdates {
  readonly #options: BackgroundOptions
  /** By when the rows of each workspace were due. */
  readonly #requested = new Map<string, number>()
  readonly #closing = new AbortController()
  #restsUntil = 0
  #running: Promise<void> | undefined

  constructor(options: BackgroundOptions) {
    this.#options = options
  }

  request(workspaceId: string, by: number): void {
    if (this.#closing.signal.aborted || performance.now() < this.#restsUntil) return
    this.#requested.set(workspaceId, by)
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    let pauseMs = PAUSE_MS
    try {
      for (let [next] = this.#requested; next !== undefined; [next] = this.#requested) {
        await setTimeout(pauseMs, undefined, { ref: false, signal })
        pauseMs = await this.#updateSome(...next)
      }
    } catch (error) {
      this.#requested.clear()
      if (signal.aborted) return
      this.#restsUntil = performance.now() + REST_MS
      this.#options.onFailure(error)
    }
  }

  /** Returns how long to pause before the next batch. */
  async #updateSome(workspaceId: string, by: number): Promise<number> {
    const { update, rows } = this.#options
    const startedAt = performance.now()
    const updated = await update(workspaceId, by, rows)
    if (updated === undefined) return BUSY_PAUSE_MS
    if (updated < rows) this.#requested.delete(workspaceId)
    return Math.max(PAUSE_MS, performance.now() - startedAt)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }
}
