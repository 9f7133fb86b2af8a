import { setImmediate } from 'node:timers/promises'

let last: Promise<void> = Promise.resolve()

/** Long reads take turns: one slice per turn of the event loop, so a request waits for at most one, however many read. */
export function nextTurn(): Promise<void> {
  last = last.then(() => setImmediate())
  return last
}
