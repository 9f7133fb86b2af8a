import { pipeline } from 'node:stream/promises'
import type { HeaderName, HttpResponse, PrivateRequest, PublicRequest } from '../api/http-message.ts'
import type { Logger } from '../lib/logger.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { logLine } from '../log-lines.ts'
import { receiveBody } from './body.ts'
import { clientAddress } from './client-address.ts'
import { type IncomingRequest, type OutgoingResponse, onResponsesSent, type RequestHeaders } from './node-internals.ts'
import { RequestRecord } from './request-record.ts'
import { headersOf, toChunks } from './responses.ts'
import { targetQuery } from './routing.ts'

/** One request and its response. */
export class Exchange extends RequestRecord implements PublicRequest, PrivateRequest {
  readonly req: IncomingRequest
  readonly res: OutgoingResponse
  readonly connection: object
  readonly authorization: string | undefined
  /** False if part of the body arrived after the head. Then the key is checked again. */
  readonly arrivedComplete: boolean
  readonly #log: Logger
  /** Only API responses have quota headers. */
  isForApi = true

  constructor(req: IncomingRequest, res: OutgoingResponse, trustedProxies: number, log: Logger) {
    super(req.method ?? '', { address: clientAddress(req, trustedProxies), agent: req.headers['user-agent'] })
    this.req = req
    this.res = res
    this.connection = req.socket
    this.authorization = req.headers.authorization
    this.arrivedComplete = req.hasArrived
    this.#log = log
  }

  get isGone(): boolean {
    const { socket } = this.req
    return socket.destroyed || socket.readableEnded
  }

  onResponseSent(done: () => void): void {
    onResponsesSent(this.req.socket, done)
  }

  get query(): URLSearchParams {
    return targetQuery(this.req.url ?? '')
  }

  header(name: HeaderName): string | undefined {
    return (this.req.headers as RequestHeaders)[name]
  }

  body(maxBytes: number, tooLarge: () => Error): MaybePromise<Buffer> {
    return receiveBody(this.req, this.res, maxBytes, tooLarge)
  }

  /** `firstLines` are complete header lines. */
  send(response: HttpResponse, firstLines: string): void {
    const { res } = this
    if (res.destroyed) return
    const { status, lines, body, stream } = response
    res.firstLines = lines === undefined ? firstLines : firstLines + lines
    res.writeHead(status, headersOf(response))
    if (stream !== undefined && this.method !== 'HEAD') {
      void this.#sendStream(stream)
      return
    }
    const chunks = toChunks(body)
    const last = chunks.length - 1
    if (last > 0) res.cork()
    for (let i = 0; i < last; i++) res.write(chunks[i], 'latin1')
    res.end(chunks[last], 'latin1')
  }

  /** Waits until each write has drained, so that a slow client holds only one part in memory. */
  async #sendStream(stream: AsyncIterable<string>): Promise<void> {
    try {
      await pipeline(stream, this.res)
    } catch (error) {
      const isClientGone = (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE'
      if (!isClientGone) this.logFailure(error)
      // A missing end shows the client that the response is incomplete.
      this.req.socket.destroy()
    }
  }

  logFailure(error: unknown): void {
    logLine(this.#log, 'requestFailed', { requestId: this.requestId, keyId: this.keyId, failure: error })
  }
}
