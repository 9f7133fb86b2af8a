import type { Occupancy } from '../../lib/fair-share.ts'
import { storeBusy } from '../errors.ts'

interface Waiting<Value> {
  resolve(value: Value): void
  reject(error: unknown): void
}

/** Is given how many requests wait for each id; returns the value for each request by its place. */
type SendBatch<Value> = (waiting: ReadonlyMap<string, number>) => Promise<(id: string, place: number) => Value>

interface BatcherOptions {
  /** Requests that arrive while so many statements are under way share the next one. */
  maxUnderWay: number
  /** Further requests are refused, whether these were sent or not. */
  maxWaiting: number
  /** Keeps one id from taking all the places. */
  maxWaitingForOne: number
}

/** Sends the requests of a tick as one statement, after the last arrived, so each sees every change before it. */
export class Batcher<Value> {
  readonly #send: SendBatch<Value>
  readonly #options: BatcherOptions
  #batch = new Map<string, Waiting<Value>[]>()
  #waiting = 0
  readonly #waitingFor = new Map<string, number>()
  #underWay = 0
  #isScheduled = false

  constructor(options: BatcherOptions, send: SendBatch<Value>) {
    this.#options = options
    this.#send = send
  }

  get occupancy(): Occupancy {
    return { current: this.#waiting, limit: this.#options.maxWaiting }
  }

  ask(id: string): Promise<Value> {
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
    if (this.#isScheduled || this.#batch.size === 0 || this.#underWay >= this.#options.maxUnderWay) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      void this.#sendBatch()
    })
  }

  async #sendBatch(): Promise<void> {
    const batch = this.#batch
    this.#batch = new Map()
    this.#underWay++
    try {
      const resultFor = await this.#send(new Map(batch.entries().map(([id, waiting]) => [id, waiting.length])))
      for (const [id, waiting] of batch)
        for (const [place, { resolve }] of waiting.entries()) resolve(resultFor(id, place))
    } catch (error) {
      for (const waiting of batch.values()) for (const { reject } of waiting) reject(error)
    } finally {
      for (const [id, waiting] of batch) this.#release(id, waiting.length)
      this.#underWay--
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
