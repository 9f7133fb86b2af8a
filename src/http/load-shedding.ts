import { FairShare, type Occupancy } from '../lib/fair-share.ts'
import { networkOf } from '../lib/network.ts'
import type { EventLoopTicks } from './event-loop-ticks.ts'

/** The largest share of the requests in progress that one caller may hold. */
const MAX_SHARE = 1 / 2
/** A tick is overloaded if it exceeds both budgets. Time also passes while the process is not scheduled. */
export const TICK_BUDGET_MS = 100
export const TICK_BUDGET_REQUESTS = 500
/** After this, each connection gets one response per tick: see pipelining.ts. */
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

  constructor(ticks: EventLoopTicks, maxInProgress: number) {
    this.#ticks = ticks
    this.#inProgress = new FairShare(maxInProgress, MAX_SHARE)
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
    if (this.#inProgress.total > 0 && this.#inProgress.isRefused(callerId(request, admittedKeyId))) return true
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
