const FREE = 0
const TAKEN = 1
const WANTED = 2
/** About as long as a running holder works. For a holder that was suspended, the waiting thread sleeps. */
const SPINS = 100

/** A lock over all threads that share the memory. For work of a microsecond, because a waiting thread is blocked. */
export class SharedLock {
  static readonly BYTES = 4
  readonly #state: Int32Array<SharedArrayBuffer>

  constructor(memory: SharedArrayBuffer) {
    this.#state = new Int32Array(memory, 0, 1)
  }

  hold<T>(work: () => T): T {
    this.#take()
    try {
      return work()
    } finally {
      this.#release()
    }
  }

  #take(): void {
    for (let spin = 0; spin < SPINS; spin++) if (Atomics.compareExchange(this.#state, 0, FREE, TAKEN) === FREE) return
    // Left marked as wanted by the thread that takes it here, because others may still sleep.
    while (Atomics.exchange(this.#state, 0, WANTED) !== FREE) Atomics.wait(this.#state, 0, WANTED)
  }

  #release(): void {
    if (Atomics.exchange(this.#state, 0, FREE) === WANTED) Atomics.notify(this.#state, 0, 1)
  }
}
