/**
 * After a full batch of 1,024 ready sockets, libuv polls again within the same tick. With so many connections (the listeners
 * and the database's sockets count, too) every request gets a tick number of its own.
 */
const FULL_BATCH = 900

/**
 * Numbers the ticks of the event loop, so that requests of one tick can share a check for changes. That is safe: their sockets
 * were ready when the tick began, so all were sent before the check, and a change that it misses was not yet acknowledged
 * to anyone. (A client that pipelines may send later, but does not wait for responses.)
 */
export class EventLoopTicks {
  readonly #connections: () => number
  #number = 0
  #isStarted = false
  #startedAt = 0
  #isBetween = false
  #tasks: (() => void)[] = []

  constructor(connections: () => number) {
    this.#connections = connections
  }

  current(): number {
    if (this.#isBetween) return ++this.#number
    if (this.#isStarted && this.#connections() < FULL_BATCH) return this.#number
    if (this.#isStarted) this.#number++
    else this.#start(performance.now())
    return this.#number
  }

  /** When the first request of this tick started; `now` if this is the first. In the time of performance.now(). */
  startedAt(now: number): number {
    if (this.#isBetween) return now
    if (!this.#isStarted) this.#start(now)
    return this.#startedAt
  }

  /**
   * Runs a task when this tick is over. It belongs to no tick: requests of the next one must not share its check for
   * changes, because that runs before they have arrived.
   */
  afterCurrent(task: () => void): void {
    this.#tasks.push(task)
    if (this.#tasks.length > 1) return
    // Both run before the next tick; the microtasks of the first one run between them.
    setImmediate(() => {
      this.#isBetween = true
      const tasks = this.#tasks
      this.#tasks = []
      for (const run of tasks) run()
    })
    setImmediate(() => {
      this.#isBetween = false
    })
  }

  #start(now: number): void {
    this.#number++
    this.#isStarted = true
    this.#startedAt = now
    setImmediate(() => {
      this.#isStarted = false
    })
  }
}
