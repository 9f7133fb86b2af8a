import { FairShare, type Occupancy } from '../lib/fair-share.ts'
import { networkOf } from '../lib/network.ts'

/** Requests that are waiting for the database or for their body. */
const MAX_IN_PROGRESS = 2000
/** The largest share that one caller may hold. */
const MAX_SHARE = 1 / 2
/** A tick is overloaded if it exceeds both budgets. Time also passes while the process is not scheduled. */
export const TICK_BUDGET_MS = 100
export const TICK_BUDGET_REQUESTS = 500
/** After this, each connection gets one response per tick: see `Pipelining`. */
const BUSY_AFTER_MS = 20
/** Requests per caller that are still served in an overloaded tick. */
const LATE_REQUESTS = 16

interface Incoming {
  startedAt: number
  caller: { address: string | undefined }
}

/** Callers are identified by the key last admitted on the connection, or else by network, which needs no lookup. */
export class LoadShedding {
  readonly #ticks: EventLoopTicks
  readonly #inProgress: FairShare
  readonly #late = new Map<string, number>()
  #tickStartedAt = 0
  #inTick = 0

  constructor(ticks: EventLoopTicks, workers = 1) {
    this.#ticks = ticks
    this.#inProgress = new FairShare(MAX_IN_PROGRESS / workers, MAX_SHARE)
  }

  get inProgress(): Occupancy {
    return this.#inProgress.occupancy
  }

  isBusy(now: number): boolean {
    return now - this.#ticks.startedAt(now) > BUSY_AFTER_MS
  }

  shouldShed(request: Incoming, admittedKeyId: string | undefined): boolean {
    const tickStartedAt = this.#ticks.startedAt(request.startedAt)
    if (tickStartedAt !== this.#tickStartedAt) this.#beginTick(tickStartedAt)
    this.#inTick++
    if (this.#inProgress.total > 0 && this.#inProgress.isOver(callerId(request, admittedKeyId))) return true
    const isLate = this.#inTick > TICK_BUDGET_REQUESTS && request.startedAt - tickStartedAt > TICK_BUDGET_MS
    return isLate && this.#isOverLateLimit(callerId(request, admittedKeyId))
  }

  #beginTick(tickStartedAt: number): void {
    this.#tickStartedAt = tickStartedAt
    this.#inTick = 0
    if (this.#late.size > 0) this.#late.clear()
  }

  #isOverLateLimit(caller: string): boolean {
    const requests = (this.#late.get(caller) ?? 0) + 1
    this.#late.set(caller, requests)
    return requests > LATE_REQUESTS
  }

  /** Counts a response that has to be waited for. */
  track<Response>(request: Incoming, admittedKeyId: string | undefined, response: Response): Response {
    if (!(response instanceof Promise)) return response
    const caller = callerId(request, admittedKeyId)
    this.#inProgress.take(caller, 1)
    const release = () => this.#inProgress.release(caller, 1)
    response.then(release, release)
    return response
  }
}

const callerId = ({ caller }: Incoming, admittedKeyId: string | undefined): string =>
  admittedKeyId ?? networkOf(caller.address ?? '')

/** Jittered, so that clients do not all retry at once. */
export const retryAfterSeconds = (): number => 1 + Math.floor(Math.random() * 3)

/** After 1,024 ready sockets, libuv polls again within a tick. From 900 on, each request gets its own tick number. */
const FULL_BATCH = 900

/**
 * Numbers the ticks of the event loop, so that requests in one tick can share a check for changes. That is safe: their sockets
 * were ready when the tick began, so all were sent before the check, and any change that it misses had not been acknowledged
 * yet. (A client that pipelines may send later, but does not wait for responses.)
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

  /** On the clock of performance.now(). */
  startedAt(now: number): number {
    if (this.#isBetween) return now
    if (!this.#isStarted) this.#start(now)
    return this.#startedAt
  }

  /** The task runs between ticks, before the next tick's requests arrive, so they must not share its check. */
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
