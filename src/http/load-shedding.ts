import { networkOf } from '../lib/network.ts'
import type { EventLoopTicks } from './event-loop-ticks.ts'
import { FairShare } from './fair-share.ts'

/** Requests that wait for the database or for their body. */
const MAX_IN_PROGRESS = 2000
/** What one caller may have of them: that many connections, with a request on each, are one client's whole fleet. */
const PORTION = 1 / 2
/**
 * One tick of the event loop may answer requests for so long, and so many, before it is a sign of more load than can be
 * borne. Time alone is none: the process may have been kept from its core for a while.
 */
export const TICK_BUDGET_MS = 100
export const TICK_BUDGET_REQUESTS = 500
/** From here on each connection gets one answer in a tick: see `Pipelining`. */
const BUSY_AFTER_MS = 20
/** Requests of one caller that are still answered in a tick which has used its budget. */
const LATE_REQUESTS = 16

/** A request as far as it is known before any work. */
export interface Incoming {
  startedAt: number
  caller: { address: string | undefined }
}

/**
 * Says which requests to refuse because there are too many. Who asks little is answered even then. Callers are told apart
 * by the key that was admitted on their connection before, or else by their network: what a header says is anyone's to
 * invent. Nothing is looked up for that.
 */
export class LoadShedding {
  readonly #ticks: EventLoopTicks
  readonly #inProgress: FairShare
  readonly #late = new Map<string, number>()
  #tickStartedAt = 0
  #inTick = 0

  constructor(ticks: EventLoopTicks, parts = 1) {
    this.#ticks = ticks
    this.#inProgress = new FairShare(MAX_IN_PROGRESS / parts, PORTION)
  }

  isBusy(now: number): boolean {
    return now - this.#ticks.startedAt(now) > BUSY_AFTER_MS
  }

  refuses(request: Incoming, admittedKeyId: string | undefined): boolean {
    const tickStartedAt = this.#ticks.startedAt(request.startedAt)
    if (tickStartedAt !== this.#tickStartedAt) this.#beginTick(tickStartedAt)
    this.#inTick++
    if (this.#inProgress.total > 0 && this.#inProgress.isOver(nameOf(request, admittedKeyId))) return true
    const isLate = this.#inTick > TICK_BUDGET_REQUESTS && request.startedAt - tickStartedAt > TICK_BUDGET_MS
    return isLate && this.#isTooMuch(nameOf(request, admittedKeyId))
  }

  #beginTick(tickStartedAt: number): void {
    this.#tickStartedAt = tickStartedAt
    this.#inTick = 0
    if (this.#late.size > 0) this.#late.clear()
  }

  #isTooMuch(name: string): boolean {
    const requests = (this.#late.get(name) ?? 0) + 1
    this.#late.set(name, requests)
    return requests > LATE_REQUESTS
  }

  /** Counts a request for as long as something has to be waited for, by the name under which it was let in. */
  track(request: Incoming, admittedKeyId: string | undefined, answer: Promise<unknown>): void {
    const name = nameOf(request, admittedKeyId)
    this.#inProgress.take(name, 1)
    const release = () => this.#inProgress.release(name, 1)
    answer.then(release, release)
  }
}

const nameOf = ({ caller }: Incoming, admittedKeyId: string | undefined): string =>
  admittedKeyId ?? networkOf(caller.address ?? '')

/** Not the same for everyone, or they would all come back at once. */
export const retryAfterSeconds = (): number => 1 + Math.floor(Math.random() * 3)
