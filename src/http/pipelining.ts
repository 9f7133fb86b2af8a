import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { FairShare, type Occupancy } from '../lib/fair-share.ts'
import { networkOf } from '../lib/network.ts'
import { peerAddress } from './client-address.ts'
import { type ServedSocket, whenAnswered } from './served-socket.ts'

/** Requests of one connection that are not answered in full yet. Clients that pipeline at all send fewer at a time. */
export const MAX_UNANSWERED = 16

/**
 * Requests of all connections that wait until the ones before them are answered. Node parses all of the 64 KiB that it reads
 * at once, so they are in memory already, at about 1 KB each. A connection whose network is over its share is closed.
 */
export const MAX_WAITING = 10_000
/** The most that one network may have of them. */
export const WAITING_SHARE = 1 / 2

/** Tells Node's parser that the connection was upgraded, so it parses no more of what was read. */
const STOP_PARSING = 2

type Task = () => void
type OnIncoming = (req: IncomingMessage & { upgrade?: boolean }, keepAlive: boolean) => number
type ParsedSocket = ServedSocket & { parser?: { onIncoming: OnIncoming } | null; _paused: boolean }

export interface PipeliningOptions {
  /** While true, each connection may have one unanswered request. */
  isBusy: () => boolean
  /** Runs a task after the current tick of the event loop. */
  afterTick: (task: () => void) => void
  onTooMany: () => void
}

/**
 * Lets each connection have a few unanswered requests. Those behind them are queued, and reading from the connection is paused.
 * They are served one by one, each in a later tick of the event loop, so that no client delays the others. (Node itself stops
 * reading only when answers fill a buffer, after it has served everything it had read.)
 */
export class Pipelining {
  readonly #options: PipeliningOptions
  readonly #queues = new WeakMap<Socket, Queue>()
  readonly #waiting = new FairShare(MAX_WAITING, WAITING_SHARE)

  constructor(options: PipeliningOptions) {
    this.#options = options
  }

  get waiting(): Occupancy {
    return this.#waiting.occupancy
  }

  /** Called with each new socket, after Node's own listener has attached a parser to it. */
  watch(socket: Socket): void {
    const { parser } = socket as ParsedSocket
    if (!parser) return
    const network = networkOf(peerAddress(socket) ?? '')
    const queue = new Queue(socket as ParsedSocket, this.#options, (change) => this.#count(network, change))
    this.#queues.set(socket, queue)
    parser.onIncoming = queue.limit(parser.onIncoming)
  }

  /** Runs a task once every earlier request of the connection has been served, if not yet answered. */
  afterEarlier(socket: Socket, task: Task): void {
    const queue = this.#queues.get(socket)
    if (queue?.isWaiting) queue.add(task)
    else task()
  }

  /** Runs a task, once per connection, after its parser failed and every earlier request has been served. */
  fail(socket: Socket, task: Task): void {
    const queue = this.#queues.get(socket)
    if (queue) queue.fail(task)
    else task()
  }

  /** Returns false if there are too many. */
  #count(network: string, change: number): boolean {
    if (change > 0 && this.#waiting.isOver(network)) {
      this.#options.onTooMany()
      return false
    }
    if (change > 0) this.#waiting.take(network, change)
    else this.#waiting.release(network, -change)
    return true
  }
}

class Queue {
  readonly #socket: ParsedSocket
  readonly #options: PipeliningOptions
  readonly #count: (change: number) => boolean
  #tasks: Task[] = []
  #unanswered = 0
  #lastQueued: IncomingMessage | undefined
  #hasFailed = false

  constructor(socket: ParsedSocket, options: PipeliningOptions, count: (change: number) => boolean) {
    this.#socket = socket
    this.#options = options
    this.#count = count
  }

  get isWaiting(): boolean {
    return this.#tasks.length > 0
  }

  limit(serve: OnIncoming): OnIncoming {
    return (req, keepAlive) => {
      if (!this.#socket._httpMessage) this.#unanswered = 0
      // CONNECT detaches the parser, so Node must handle it at once; its handler uses `afterEarlier`.
      if ((this.#unanswered < this.#maxUnanswered() && this.#tasks.length === 0) || req.method === 'CONNECT') {
        this.#unanswered++
        return serve(req, keepAlive)
      }
      // Node reads this before the request is served; upgrades other than CONNECT are not supported.
      req.upgrade = false
      this.#lastQueued = req
      this.add(() => void serve(req, keepAlive))
      return this.#socket.destroyed ? STOP_PARSING : 0
    }
  }

  #maxUnanswered(): number {
    return this.#unanswered > 0 && this.#options.isBusy() ? 1 : MAX_UNANSWERED
  }

  add(task: Task): void {
    if (!this.#count(1)) {
      this.#socket.destroy()
      return
    }
    this.#tasks.push(task)
    if (this.#tasks.length > 1) return
    this.#pauseReading()
    this.#continueLater()
  }

  fail(task: Task): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    const isLastCut = this.#lastQueued?.complete === false
    const last = this.#tasks.at(-1)
    if (last === undefined) task()
    // The last request is cut off and may never be answered: do not wait for its response.
    else if (isLastCut)
      this.#tasks[this.#tasks.length - 1] = () => {
        last()
        task()
      }
    else this.add(task)
  }

  #continueLater(): void {
    whenAnswered(this.#socket, () => this.#options.afterTick(() => this.#continue()))
  }

  #continue(): void {
    const isClosed = this.#socket.destroyed
    const [task, ...others] = this.#tasks.splice(0, isClosed ? this.#tasks.length : 1)
    this.#count(-1 - others.length)
    if (isClosed || task === undefined) return
    this.#unanswered = 1
    if (this.#tasks.length === 0) {
      this.#lastQueued = undefined
      this.#resumeReading()
    }
    task()
    if (this.#tasks.length > 0) this.#continueLater()
  }

  /** Node resumes a socket after each drained answer and each body; `resume` is disabled meanwhile. */
  #pauseReading(): void {
    const socket = this.#socket
    socket.pause()
    socket.resume = () => socket
  }

  #resumeReading(): void {
    const socket = this.#socket
    Reflect.deleteProperty(socket, 'resume')
    if (!socket._paused) socket.resume()
  }
}
