import type { Logger } from 'pino'
import type { HeaderName, HttpResponse, PrivateRequest, PublicRequest } from '../api/http-message.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { logLine } from '../log-lines.ts'
import { receiveBody } from './body.ts'
import { clientAddress } from './client-address.ts'
import { type IncomingRequest, type OutgoingResponse, onResponsesSent, type RequestHeaders } from './node-internals.ts'
import { RequestRecord } from './request-record.ts'
import { send } from './responses.ts'
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

  send(response: HttpResponse, firstLines: string): void {
    send(this, response, firstLines)
  }

  logFailure(error: unknown): void {
    logLine(this.#log, 'requestFailed', { requestId: this.requestId, keyId: this.keyId, failure: error })
  }
}
