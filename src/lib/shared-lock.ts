const FREE = 0
const TAKEN = 1
const WANTED = 2
/** The lock takes the start of the memory: as much as one number, so that the numbers after it are aligned. */
export const LOCK_BYTES = 8
/** Spins about as long as a running holder needs. If the holder is suspended, the waiting thread sleeps. */
const SPINS = 100

/** A lock between all threads that share the memory. Only for work of about a microsecond, because waiting blocks the thread. */
export class SharedLock {
  readonly #state: Int32Array<SharedArrayBuffer>

  constructor(memory: SharedArrayBuffer) {
    this.#state = new Int32Array(memory, 0, 1)
  }

  take(): void {
    for (let spin = 0; spin < SPINS; spin++) if (Atomics.compareExchange(this.#state, 0, FREE, TAKEN) === FREE) return
    // The thread that acquires it here leaves it marked as wanted, because others may still be asleep.
    while (Atomics.exchange(this.#state, 0, WANTED) !== FREE) Atomics.wait(this.#state, 0, WANTED)
  }

  release(): void {
    if (Atomics.exchange(this.#state, 0, FREE) === WANTED) Atomics.notify(this.#state, 0, 1)
  }
}
