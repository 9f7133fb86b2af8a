import { setImmediate } from 'node:timers/promises'

/** By default, one slice per turn of the event loop, so a request waits for at most one, however many take turns. */
export function createTurns(untilNext: () => Promise<void> = setImmediate): () => Promise<void> {
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(untilNext)
    return last
  }
}

/** For the slices of list queries and of background work. */
export const nextTurn = createTurns()

/** Other requests wait for at most one slice, plus its last step. */
const SLICE_MS = 4

/** Slow work, one slice per turn. */
export class Slices {
  #until = performance.now() + SLICE_MS

  /** Lets other requests have a turn if the slice is over. */
  async pause(): Promise<void> {
    if (performance.now() <= this.#until) return
    await nextTurn()
    this.#until = performance.now() + SLICE_MS
  }
}
