import { randomUUID } from 'node:crypto'
import type { EmbeddedError, HeaderName, PrivateRequest, PublicRequest } from '../api/http-message.ts'
import type { Caller } from '../database/usage/caller.ts'
import type { Logger } from '../lib/logger.ts'
import type { IncomingMessage, ServerResponse } from '../lib/node-http.ts'
import { SourceUnavailable } from '../lists/in-place/unavailable.ts'
import { logLine, logUnavailable } from '../log-lines.ts'
import { arrivedBody, isComplete, LateBody, writeContinueIfExpected } from './body.ts'
import { clientAddress } from './client-address.ts'
import { targetPath, targetQuery } from './request-target.ts'

/** A request as the rest of the service sees it. Only the notes are written later, by the protocol. */
export class HttpRequest implements PublicRequest, PrivateRequest {
  readonly requestId = randomUUID()
  readonly startedAt = performance.now()
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly method: string
  readonly url: string
  /** Undefined if it cannot be decoded. */
  readonly decodedPath: string | undefined
  readonly caller: Caller
  readonly connection: object
  readonly authorization: string | undefined
  readonly #log: Logger
  #late: LateBody | undefined
  #failure: Error | undefined

  rpcMethod: string | undefined
  toolName: string | undefined
  toolArguments: PublicRequest['toolArguments']
  embedded: EmbeddedError | undefined

  constructor(req: IncomingMessage, res: ServerResponse, trustedProxies: number, log: Logger) {
    this.req = req
    this.res = res
    this.method = req.method ?? ''
    this.url = req.url ?? ''
    this.decodedPath = targetPath(this.url)
    this.caller = { address: clientAddress(req, trustedProxies), agent: req.headers['user-agent'] }
    this.connection = req.socket
    this.authorization = req.headers.authorization
    this.#log = log
  }

  get path(): string {
    return this.decodedPath ?? ''
  }

  get query(): URLSearchParams {
    return targetQuery(this.url)
  }

  header(name: HeaderName): string | undefined {
    return this.req.headers[name] as string | undefined
  }

  /**
   * Whether the whole body has arrived, if there is one. The parser is still reading when Node reports a request. A microtask later, a body that was
   * sent with its head is here, or has turned out to be malformed; any other is collected from then on.
   */
  async hasArrived(): Promise<boolean> {
    await undefined
    if (this.#failure !== undefined) throw this.#failure
    if (isComplete(this.req)) return true
    const late = new LateBody(this.req)
    this.#late = late
    this.res.once('close', () => late.discard())
    return false
  }

  async body(maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
    if (this.#failure !== undefined) throw this.#failure
    if (Number(this.header('content-length')) > maxBytes) throw tooLarge()
    if (this.#late === undefined) return arrivedBody(this.req, maxBytes, tooLarge)
    writeContinueIfExpected(this.req, this.res)
    return this.#late.read(maxBytes, tooLarge)
  }

  /** For a body that is malformed or too slow. The error becomes the response, unless that does not depend on the body. */
  failBody(error: Error): void {
    this.#failure = error
    this.#late?.fail(error)
  }

  get bodyFailure(): Error | undefined {
    return this.#failure
  }

  /**
   * After a body that failed, the rest of the connection means nothing. After one whose end is ambiguous, a proxy might disagree
   * about where the next request begins (RFC 9112, 6.1): request smuggling.
   */
  get mustClose(): boolean {
    if (this.#failure !== undefined) return true
    const coding = this.header('transfer-encoding')
    return coding !== undefined && (this.req.httpVersion === '1.0' || coding.toLowerCase() !== 'chunked')
  }

  get isGone(): boolean {
    const { socket } = this.req
    return socket.destroyed || socket.readableEnded
  }

  onResponseSent(done: () => void): void {
    if (this.res.closed) done()
    else this.res.once('close', done)
  }

  logFailure(failure: unknown, keyId?: string): void {
    const { requestId } = this
    if (!(failure instanceof SourceUnavailable)) logLine(this.#log, 'requestFailed', { requestId, keyId, failure })
    else logUnavailable(this.#log, failure, { requestId, keyId })
  }
}
