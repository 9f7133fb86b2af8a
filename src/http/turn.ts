/**
 * Numbers the turns of the event loop, so that what was asked of the store for one request of a turn need not be asked
 * again for the others.
 *
 * Why that is safe: the requests of a turn are on sockets that were ready when the turn began, so each had begun to
 * arrive before the store was asked. A change that the answer misses was therefore not acknowledged to anyone before
 * these requests were sent. (A request pipelined behind another may have been sent later; who pipelines does not wait
 * for answers.) The one exception is libuv's: after a full batch of 1,024 ready sockets it fetches another within the same
 * turn. A server with so many connections gets a new number for every request; its listeners and its connections to the
 * database may be ready, too.
 */
const FULL_BATCH = 900

export class Turns {
  readonly #connections: () => number
  #number = 0
  #isOpen = false
  #openedAt = 0
  #isBetween = false
  #works: (() => void)[] = []

  constructor(connections: () => number) {
    this.#connections = connections
  }

  current(): number {
    if (this.#isBetween) return ++this.#number
    if (this.#isOpen && this.#connections() < FULL_BATCH) return this.#number
    if (this.#isOpen) this.#number++
    else this.#open(performance.now())
    return this.#number
  }

  /** When the first request of this turn came; now if this is the first. By performance.now(), as is the argument. */
  openedAt(now: number): number {
    if (this.#isBetween) return now
    if (!this.#isOpen) this.#open(now)
    return this.#openedAt
  }

  /**
   * Does some work when this turn is over. It is part of no turn: the next one's requests may not share what it asks of the
   * store, because it asks before they have arrived.
   */
  afterwards(work: () => void): void {
    this.#works.push(work)
    if (this.#works.length > 1) return
    // Both run before the next turn, and between them all that the first one leaves to microtasks.
    setImmediate(() => {
      this.#isBetween = true
      const works = this.#works
      this.#works = []
      for (const each of works) each()
    })
    setImmediate(() => {
      this.#isBetween = false
    })
  }

  #open(now: number): void {
    this.#number++
    this.#isOpen = true
    this.#openedAt = now
    setImmediate(() => {
      this.#isOpen = false
    })
  }
}
