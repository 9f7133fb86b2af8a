import { setTimeout } from 'node:timers/promises'

/** Updates up to `atMost` rows that were due by `by`. Returns how many, or undefined if the store is busy. */
export type UpdateSome = (workspaceId: string, by: number, atMost: number) => Promise<number | undefined>

const PAUSE_MS = 5
const BUSY_PAUSE_MS = 200
/** After a failure such as a missing privilege, retrying at every read would only fill the log. */
const REST_MS = 60_000

interface BackgroundOptions {
  update: UpdateSome
  /** Rows per batch. The pause after a batch lasts as long as the batch took. */
  rows: number
  onFailure: (error: unknown) => void
}

/** Runs updates that only make reads cheaper and change no response, so they may be late or skipped. */
export class BackgroundUpdates {
  readonly #options: BackgroundOptions
  /** Each workspace with the time by which its rows were due. */
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
