import { setTimeout } from 'node:timers/promises'

/** Updates up to `atMost` rows that were due by `by`. Returns how many, or undefined if the store is busy. */
export type UpdateSome = (workspaceId: string, by: number, atMost: number) => Promise<number | undefined>

/** Fewer rows cost a read little, so they are left until they are this many. */
export const MANY_DUE = 100

const PAUSE_MS = 5
const BUSY_PAUSE_MS = 200
/** After a failure such as a missing privilege, retrying at every read would only fill the log. */
const REST_MS = 60_000

/** Runs updates that only make reads cheaper and change no response, so they may be late or skipped. */
export class BackgroundUpdates {
  readonly #rows: number
  readonly #onFailure: (error: unknown) => void
  readonly #closing = new AbortController()
  readonly #restsUntil = new WeakMap<UpdateSome, number>()
  #running: Promise<void> | undefined

  /** `rows` is the batch size. The pause after a batch lasts as long as the batch took. */
  constructor(rows: number, onFailure: (error: unknown) => void) {
    this.#rows = rows
    this.#onFailure = onFailure
  }

  /** `due` is how many rows a read found. Ignored while another update is running: the next read asks again. */
  request(update: UpdateSome | undefined, due: number, workspaceId: string, by: number): void {
    if (update === undefined || due <= MANY_DUE || this.#closing.signal.aborted) return
    if (performance.now() < (this.#restsUntil.get(update) ?? 0)) return
    this.#running ??= this.#run(update, workspaceId, by).finally(() => {
      this.#running = undefined
    })
  }

  async #run(update: UpdateSome, workspaceId: string, by: number): Promise<void> {
    const rows = this.#rows
    const { signal } = this.#closing
    let pauseMs = PAUSE_MS
    try {
      for (;;) {
        await setTimeout(pauseMs, undefined, { ref: false, signal })
        const startedAt = performance.now()
        const updated = await update(workspaceId, by, rows)
        if (updated !== undefined && updated < rows) return
        pauseMs = updated === undefined ? BUSY_PAUSE_MS : Math.max(PAUSE_MS, performance.now() - startedAt)
      }
    } catch (error) {
      if (signal.aborted) return
      this.#restsUntil.set(update, performance.now() + REST_MS)
      this.#onFailure(error)
    }
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#running
  }
}
