/**
 * All undocumented parts of Node's HTTP server that this service uses. The runtime is pinned; after an upgrade,
 * test/http/node-internals.test.ts reports what is missing or has changed.
 */

import type { Socket } from 'node:net'
import { type HeaderName, type HttpResponse, headerNames } from '../api/http-message.ts'
import { GrowingBuffer } from '../lib/growing-buffer.ts'
import { IncomingMessage, type Server, ServerResponse } from '../lib/node-http.ts'
import type { ProblemCode } from '../problems/catalogue.ts'

interface RequestInternals {
  /** The parser calls this with alternating names and values. */
  _addHeaderLines(headers: readonly string[], count: number): void
  /** `optimizeEmptyRequests` calls this to close the stream of a request without a body. */
  _dumpAndCloseReadable(): void
}

interface ResponseInternals {
  /** Writes the response's head after the status line, and decides whether the connection stays open. */
  _storeHeader(begun: string, headers: readonly string[]): void
}

type OnIncoming = (req: IncomingMessage, keepAlive: boolean) => number

type ServedSocket = Socket & {
  /** The response that is being sent. Later ones wait in Node's own queue. */
  _httpMessage?: ServerResponse | null
  /** Whether Node stopped reading because responses wait to be sent. */
  _paused?: boolean
  parser?: { incoming: IncomingMessage | null; onIncoming: OnIncoming } | null
  /** Bytes handed to the kernel, and those of them that it has not accepted yet. */
  _handle?: { bytesWritten: number; writeQueueSize: number } | null
}

export const internalsOfRequests = IncomingMessage.prototype as unknown as RequestInternals
export const internalsOfResponses = ServerResponse.prototype as unknown as ResponseInternals
const { _addHeaderLines: addHeaderLines, _dumpAndCloseReadable: closeStream } = internalsOfRequests
const { _storeHeader: storeHeader } = internalsOfResponses

/**
 * Keeps what arrives of a body before it is read, which is usually all of it: the events of a stream cost a tenth of a small response.
 * Pieces are joined, because each takes half a kilobyte, and a client may send every byte as a chunk.
 */
export class IncomingRequest extends IncomingMessage {
  received: GrowingBuffer | undefined

  /** With `optimizeEmptyRequests`, Node does not even open a stream for a request without a body. */
  get hasBody(): boolean {
    return this.headers['content-length'] !== undefined || this.headers['transfer-encoding'] !== undefined
  }

  /** Does not rely on `complete` alone, which the parser sets a moment after the last byte. */
  get hasArrived(): boolean {
    return this.complete || !this.hasBody || this.#hasReceivedAll
  }

  get #hasReceivedAll(): boolean {
    return (this.received?.length ?? 0) === Number(this.headers['content-length'])
  }

  _addHeaderLines(headers: readonly string[], count: number): void {
    addHeaderLines.call(this, headers, count)
    // Lines after the body are trailers, which we ignore.
    if (!this.complete) this.headers = readHeaders(headers)
  }

  /** The parser calls this with each piece of the body, and with null at the end. After false it waits until the stream is read. */
  override push(chunk: Buffer | null): boolean {
    if (chunk === null || this.readableFlowing !== null) return super.push(chunk)
    this.received ??= new GrowingBuffer()
    this.received.add(chunk)
    if (this.#hasReceivedAll) closeStream.call(this)
    return this.received.length < this.readableHighWaterMark
  }
}

interface WaitingForBody {
  requestId: string
  firstLines: string
  recordFailure(code: ProblemCode, response: HttpResponse): void
}

/** Starts the head with prepared lines: Node's header checks would double its cost. */
export class OutgoingResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** Each line ends with CR LF and contains only characters that are allowed in a head. */
  firstLines = ''
  /** Set while an admitted request waits for its body, for the response to one that fails or does not arrive in time. */
  waiting: WaitingForBody | undefined

  _storeHeader(statusLine: string, headers: readonly string[]): void {
    storeHeader.call(this, statusLine + this.firstLines, headers)
  }
}

/** Otherwise Node closes the connection of a client that half-closes it before its response is ready. */
export function respondAfterHalfClose(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true })
}

export const currentResponse = (socket: ServedSocket) =>
  (socket._httpMessage ?? undefined) as OutgoingResponse | undefined

/** Whether the parser is in the middle of a request. */
export const isReadingRequest = (socket: ServedSocket): boolean => socket.parser?.incoming?.complete === false

export const hasPendingResponse = (socket: ServedSocket): boolean =>
  Boolean(socket._httpMessage) || socket.writableLength > 0 || socket.isPaused()

/** Calls back when all pending responses have been sent or the socket has closed. */
export function onResponsesSent(socket: Socket, next: () => void): void {
  const current = currentResponse(socket)
  // When a response emits `close`, the next one has already taken its place.
  if (current && !socket.destroyed) current.once('close', () => onResponsesSent(socket, next))
  else next()
}

/** Never calls back if the connection closes first. */
export const whenItsTurn = (res: ServerResponse, next: () => void): void => void res.once('socket', next)

/** Node resumes a socket after each drained response and each body, so `resume` is disabled meanwhile. */
export function pauseReading(socket: Socket): void {
  socket.pause()
  socket.resume = () => socket
}

export function resumeReading(socket: ServedSocket): void {
  Reflect.deleteProperty(socket, 'resume')
  if (!socket._paused) socket.resume()
}

/** Makes the parser treat the remaining bytes as another protocol. */
const STOP_PARSING = 2

/** Otherwise Node would parse the rest of its 64 KiB buffer, thousands of small requests, for a destroyed socket. */
export function stopParsingWhenDestroyed(socket: ServedSocket): void {
  const { parser } = socket
  if (!parser) return
  const { onIncoming } = parser
  parser.onIncoming = (req, keepAlive) => {
    const result = onIncoming(req, keepAlive)
    return socket.destroyed ? STOP_PARSING : result
  }
}

/** `bytesWritten` alone counts a large response as soon as its write starts. */
export function sentBytes(socket: ServedSocket): number {
  const { _handle: handle } = socket
  return handle ? handle.bytesWritten - handle.writeQueueSize : socket.bytesWritten
}

/** Only the headers that the service reads: a single object shape makes a small request 2 % cheaper. */
export interface RequestHeaders extends Partial<Record<HeaderName, string>> {}

/** Left out of the template, because Node checks whether these exist. */
const framing: readonly HeaderName[] = ['content-length', 'transfer-encoding']

/** Contains each name in lower case and in its usual capitalization. */
const namesBySpelling = new Map<string, HeaderName>([
  ...headerNames.flatMap((name): [string, HeaderName][] => [
    [name, name],
    [name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()), name],
  ]),
  ['MCP-Protocol-Version', 'mcp-protocol-version'],
])

const template = Object.fromEntries(
  headerNames.filter((name) => !framing.includes(name)).map((name) => [name, undefined]),
)

/** Headers of the same name are joined, as RFC 9110, 5.3, and RFC 9113, 8.2.3, require. */
export function readHeaders(raw: readonly string[]): RequestHeaders {
  const headers: RequestHeaders = { ...template }
  for (let i = 0; i < raw.length; i += 2) {
    const spelling = raw[i] as string
    const name = namesBySpelling.get(spelling) ?? namesBySpelling.get(spelling.toLowerCase())
    if (name === undefined) continue
    const value = raw[i + 1] as string
    const before = headers[name]
    headers[name] = before === undefined ? value : before + (name === 'cookie' ? '; ' : ', ') + value
  }
  return headers
}
