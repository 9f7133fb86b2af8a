const FREE = 0
const TAKEN = 1
const WANTED = 2
/** As long as the work of a holder that is running takes; one that is not is waited for asleep. */
const SPINS = 100

/** One at a time over all threads that hold the same memory. For work of a microsecond: who waits does nothing else. */
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
    // It stays marked as wanted by whoever gets it in this way: others may sleep still.
    while (Atomics.exchange(this.#state, 0, WANTED) !== FREE) Atomics.wait(this.#state, 0, WANTED)
  }

  #release(): void {
    if (Atomics.exchange(this.#state, 0, FREE) === WANTED) Atomics.notify(this.#state, 0, 1)
  }
}
