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

  constructor(connections: { readonly size: number }) {
    this.#connections = connections
  }

  /** Call this only for requests that have just been read: work between ticks would share its check with later requests. */
  current(): number {
    if (this.#isStarted && this.#connections.size < FULL_BATCH) return this.#number
    this.#number++
    if (!this.#isStarted) {
      this.#isStarted = true
      setImmediate(() => {
        this.#isStarted = false
      })
    }
    return this.#number
  }
}
