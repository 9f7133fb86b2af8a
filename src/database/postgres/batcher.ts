import type { Occupancy } from '../../lib/fair-share.ts'
import { storeBusy } from '../errors.ts'

interface Waiting<Value> {
  resolve(value: Value): void
  reject(error: unknown): void
}

/** Receives the number of waiting requests for each id. Returns a function that maps an id and an index among its requests to the value. */
type SendBatch<Value> = (waiting: ReadonlyMap<string, number>) => Promise<(id: string, index: number) => Value>

interface BatcherOptions {
  /** Requests that arrive while this many statements are running share the next one. */
  maxRunning: number
  /** Further requests are rejected. Includes requests whose statement is running. */
  maxWaiting: number
  /** Prevents one id from filling the whole queue. */
  maxWaitingForOne: number
}

/** Sends a tick's requests as one statement once the last has arrived, so each sees every earlier change. */
export class Batcher<Value> {
  readonly #send: SendBatch<Value>
  readonly #options: BatcherOptions
  #batch = new Map<string, Waiting<Value>[]>()
  #waiting = 0
  readonly #waitingFor = new Map<string, number>()
  #running = 0
  #isScheduled = false

  constructor(options: BatcherOptions, send: SendBatch<Value>) {
    this.#options = options
    this.#send = send
  }

  get occupancy(): Occupancy {
    return { current: this.#waiting, limit: this.#options.maxWaiting }
  }

  request(id: string): Promise<Value> {
    const waitingForThis = this.#waitingFor.get(id) ?? 0
    if (this.#waiting >= this.#options.maxWaiting || waitingForThis >= this.#options.maxWaitingForOne)
      return Promise.reject(storeBusy)
    this.#waiting++
    this.#waitingFor.set(id, waitingForThis + 1)
    return new Promise((resolve, reject) => {
      const others = this.#batch.get(id)
      if (others === undefined) this.#batch.set(id, [{ resolve, reject }])
      else others.push({ resolve, reject })
      this.#schedule()
    })
  }

  #schedule(): void {
    if (this.#isScheduled || this.#batch.size === 0 || this.#running >= this.#options.maxRunning) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      void this.#sendBatch()
    })
  }

  async #sendBatch(): Promise<void> {
    const batch = this.#batch
    this.#batch = new Map()
    this.#running++
    try {
      const resultFor = await this.#send(new Map(batch.entries().map(([id, waiting]) => [id, waiting.length])))
      for (const [id, waiting] of batch)
        for (const [index, { resolve }] of waiting.entries()) resolve(resultFor(id, index))
    } catch (error) {
      for (const waiting of batch.values()) for (const { reject } of waiting) reject(error)
    } finally {
      for (const [id, waiting] of batch) this.#release(id, waiting.length)
      this.#running--
      this.#schedule()
    }
  }

  #release(id: string, count: number): void {
    this.#waiting -= count
    const left = (this.#waitingFor.get(id) ?? 0) - count
    if (left > 0) this.#waitingFor.set(id, left)
    else this.#waitingFor.delete(id)
  }
}
