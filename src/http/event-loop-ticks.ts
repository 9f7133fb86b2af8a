/** After 1,024 ready sockets, libuv polls again within a tick. From 900 on, each request gets its own tick number. */
const FULL_BATCH = 900

/**
 * Numbers the ticks of the event loop, so that requests in one tick can share a check for changes. That is safe: their sockets
 * were ready when the tick began, so all were sent before the check, and any change that it misses had not been acknowledged
 * yet. (A client that pipelines may send later, but does not wait for responses.)
 */
export class EventLoopTicks {
  readonly #connections: { readonly size: number }
  #number = 0
  #isStarted = false
  #startedAt = 0
  #isBetween = false
  #tasks: (() => void)[] = []

  constructor(connections: { readonly size: number }) {
    this.#connections = connections
  }

  current(): number {
    if (this.#isBetween) return ++this.#number
    if (this.#isStarted && this.#connections.size < FULL_BATCH) return this.#number
    if (this.#isStarted) this.#number++
    else this.#start(performance.now())
    return this.#number
  }

  /** On the clock of performance.now(). */
  startedAt(now: number): number {
    if (this.#isBetween) return now
    if (!this.#isStarted) this.#start(now)
    return this.#startedAt
  }

  /**
   * The task runs between ticks, before the next tick's requests arrive, so they must not share its check. Pipelined requests that
   * had to wait are served in this way.
   */
  afterCurrent(task: () => void): void {
    this.#tasks.push(task)
    if (this.#tasks.length > 1) return
    // Both callbacks run before the next tick, and the first one's microtasks run between them.
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
