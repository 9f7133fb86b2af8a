import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { networkOf } from '../lib/network.ts'
import { peerAddress } from './client-address.ts'
import { FairShare } from './fair-share.ts'
import { type ServedSocket, whenAnswered } from './served-socket.ts'

/** Requests of one connection that have no whole answer yet. Clients that pipeline at all send fewer at a time. */
export const MAX_UNANSWERED = 16

/**
 * Requests of all connections that wait until the ones before them are answered. Node reads up to 64 KiB at once and parses
 * all of it, so they exist already, at about 1 KB each; a connection whose network has its share of them is closed when
 * it adds one more.
 */
export const MAX_WAITING = 10_000
/** Of these, what one network may have. */
export const WAITING_PORTION = 1 / 2

/** What Node's parser takes for an upgrade: the rest of what was read is not HTTP, and need not be looked at. */
const STOP_PARSING = 2

type Task = () => void
type OnIncoming = (req: IncomingMessage & { upgrade?: boolean }, keepAlive: boolean) => number
type ParsedSocket = ServedSocket & { parser?: { onIncoming: OnIncoming } | null; _paused: boolean }

export interface PipeliningOptions {
  /** While it says so, a connection may have one request at a time. */
  isBusy: () => boolean
  /** Does work in a later tick of the event loop. */
  later: (work: () => void) => void
  onTooMany: () => void
}

/**
 * Lets each connection have a few requests unanswered. Those behind them wait, in their order, and nothing more is read from
 * the connection. They go on one by one, each in a later tick of the event loop: nobody keeps the others waiting.
 *
 * Node itself stops reading only when answers fill a buffer, and by then has answered all that it had read.
 */
export class Pipelining {
  readonly #options: PipeliningOptions
  readonly #queues = new WeakMap<Socket, Queue>()
  readonly #waiting = new FairShare(MAX_WAITING, WAITING_PORTION)

  constructor(options: PipeliningOptions) {
    this.#options = options
  }

  /** To be called with each new socket, after Node's own listener has given it a parser. */
  watch(socket: Socket): void {
    const { parser } = socket as ParsedSocket
    if (!parser) return
    const network = networkOf(peerAddress(socket) ?? '')
    const queue = new Queue(socket as ParsedSocket, this.#options, (change) => this.#count(network, change))
    this.#queues.set(socket, queue)
    parser.onIncoming = queue.limit(parser.onIncoming)
  }

  /** Does something on a connection after all that was read from it before, though it need not be answered yet. */
  inTurn(socket: Socket, task: Task): void {
    const queue = this.#queues.get(socket)
    if (queue?.isWaiting) queue.add(task)
    else task()
  }

  /** Does something, once, because the parser gave up on a connection; after all that was read from it before. */
  fail(socket: Socket, task: Task): void {
    const queue = this.#queues.get(socket)
    if (queue) queue.fail(task)
    else task()
  }

  /** False if there are too many. */
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
  #lastHeld: IncomingMessage | undefined
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
      // CONNECT ends the parser: Node has to know at once. Whoever answers it uses `inTurn`.
      if ((this.#unanswered < this.#most() && this.#tasks.length === 0) || req.method === 'CONNECT') {
        this.#unanswered++
        return serve(req, keepAlive)
      }
      // Node asks for this before the request is served, and no other upgrade is taken up here.
      req.upgrade = false
      this.#lastHeld = req
      this.add(() => void serve(req, keepAlive))
      return this.#socket.destroyed ? STOP_PARSING : 0
    }
  }

  #most(): number {
    return this.#unanswered > 0 && this.#options.isBusy() ? 1 : MAX_UNANSWERED
  }

  add(task: Task): void {
    if (!this.#count(1)) {
      this.#socket.destroy()
      return
    }
    this.#tasks.push(task)
    if (this.#tasks.length > 1) return
    this.#stopReading()
    this.#continueLater()
  }

  fail(task: Task): void {
    if (this.#hasFailed) return
    this.#hasFailed = true
    const isLastCut = this.#lastHeld?.complete === false
    const last = this.#tasks.at(-1)
    if (last === undefined) task()
    // It will never be whole. To wait until it has been answered would be to wait for ever.
    else if (isLastCut)
      this.#tasks[this.#tasks.length - 1] = () => {
        last()
        task()
      }
    else this.add(task)
  }

  #continueLater(): void {
    whenAnswered(this.#socket, () => this.#options.later(() => this.#continue()))
  }

  #continue(): void {
    const isOver = this.#socket.destroyed
    const [task, ...others] = this.#tasks.splice(0, isOver ? this.#tasks.length : 1)
    this.#count(-1 - others.length)
    if (isOver || task === undefined) return
    this.#unanswered = 1
    if (this.#tasks.length === 0) {
      this.#lastHeld = undefined
      this.#readOn()
    }
    task()
    if (this.#tasks.length > 0) this.#continueLater()
  }

  /** Node resumes a socket whenever some answer was taken or a body is read; not this one, for now. */
  #stopReading(): void {
    const socket = this.#socket
    socket.pause()
    socket.resume = () => socket
  }

  #readOn(): void {
    const socket = this.#socket
    Reflect.deleteProperty(socket, 'resume')
    if (!socket._paused) socket.resume()
  }
}
