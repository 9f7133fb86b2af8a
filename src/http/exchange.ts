import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { EmbeddedError, HeaderName, HttpResponse, PrivateRequest, PublicRequest } from '../api/http-message.ts'
import type { FinishedRequest, NonApiTarget } from '../api/operation.ts'
import type { Admission, RequestReport } from '../database/store.ts'
import type { Caller } from '../database/usage/caller.ts'
import { type KeyRefusal, type RefusalReason, refusalReasonByCode } from '../keys/admission.ts'
import { isObject } from '../lib/checker.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { logLine } from '../log-lines.ts'
import type { ProblemCode } from '../problems/catalogue.ts'
import { receiveBody } from './body.ts'
import { clientAddress } from './client-address.ts'
import { type IncomingRequest, type OutgoingResponse, onResponsesSent, type RequestHeaders } from './node-internals.ts'
import { lengthOf, send } from './responses.ts'
import { type Route, targetQuery } from './routing.ts'

/** The context of one request. Each step adds its findings. */
export class Exchange implements PublicRequest, PrivateRequest, FinishedRequest, RequestReport {
  readonly req: IncomingRequest
  readonly res: OutgoingResponse
  readonly requestId = randomUUID()
  readonly startedAt = performance.now()
  readonly method: string
  readonly connection: object
  readonly caller: Caller
  /** False if part of the body arrived after the head. Then the key is checked again. */
  readonly arrivedComplete: boolean
  readonly #log: Logger
  readonly #send: typeof send
  path = ''
  route: Route | undefined
  /** Undefined until the key is admitted. */
  admission: Admission | undefined
  /** The admission that counted the request. Stays set even if the key ends before the response. */
  counted: Admission | undefined
  keyRefusal: KeyRefusal | undefined
  problemCode: ProblemCode | undefined
  rpcMethod: string | undefined
  toolName: string | undefined
  toolArguments: PublicRequest['toolArguments']
  embedded: EmbeddedError | undefined
  traceparentInBody: string | undefined
  /** These are known once the response is sent. */
  status: number | 'gone' = 'gone'
  ms = 0
  response: HttpResponse | undefined
  /** Only API responses have quota headers. */
  isForApi = true
  /** What the request was for, if not for an operation. */
  nonApiTarget: NonApiTarget = 'invalid'

  /** `sendResponse` is for requests without a connection. */
  constructor(
    req: IncomingRequest,
    res: OutgoingResponse,
    trustedProxies: number,
    log: Logger,
    sendResponse: typeof send = send,
  ) {
    this.req = req
    this.res = res
    this.method = req.method ?? ''
    this.connection = req.socket
    this.caller = { address: clientAddress(req, trustedProxies), agent: this.header('user-agent') }
    this.arrivedComplete = req.hasArrived
    this.#log = log
    this.#send = sendResponse
  }

  get keyId(): string | undefined {
    return (this.admission ?? this.keyRefusal ?? this.counted)?.keyId
  }

  get workspaceId(): string | undefined {
    return (this.admission ?? this.keyRefusal ?? this.counted)?.workspaceId
  }

  get operation(): string {
    return `${this.method} ${this.target}`
  }

  get tool(): string | undefined {
    return this.toolName ?? this.rpcMethod
  }

  /** Only the names that the tool declares: a client can make up others. */
  get argumentNames(): string | undefined {
    const { given, declared = [] } = this.toolArguments ?? {}
    if (!isObject(given)) return undefined
    const names = declared.filter((name) => Object.hasOwn(given, name)).sort()
    if (Object.keys(given).length > names.length) names.push('(unknown)')
    return names.join() || undefined
  }

  get refusalCode(): ProblemCode | undefined {
    return this.problemCode ?? (this.embedded?.isForbidden ? 'forbidden' : undefined)
  }

  get code(): ProblemCode | undefined {
    return this.embedded?.code ?? this.refusalCode
  }

  get errorCode(): string | undefined {
    const code = this.code ?? this.embedded?.rpcCode?.toString()
    return this.embedded?.isError ? `isError ${code}` : code
  }

  get refusalReason(): RefusalReason | undefined {
    if (this.refusalCode === undefined || this.route === undefined) return undefined
    return this.refusalCode === 'unauthorized' ? this.keyRefusal?.reason : refusalReasonByCode[this.refusalCode]
  }

  get bytes(): number {
    return this.response === undefined || this.method === 'HEAD' ? 0 : lengthOf(this.response.body)
  }

  get target(): string {
    return this.route?.operation.path ?? this.nonApiTarget
  }

  get isGone(): boolean {
    return this.req.socket.destroyed
  }

  onResponseSent(done: () => void): void {
    onResponsesSent(this.req.socket, done)
  }

  get query(): URLSearchParams {
    return targetQuery(this.req.url ?? '')
  }

  /** From the header, or else from the body. */
  get traceparent(): string | undefined {
    return parseTraceparent(this.header('traceparent')) ?? parseTraceparent(this.traceparentInBody)
  }

  header(name: HeaderName): string | undefined {
    return (this.req.headers as RequestHeaders)[name]
  }

  body(maxBytes: number, tooLarge: () => Error): MaybePromise<Buffer> {
    return receiveBody(this.req, this.res, maxBytes, tooLarge)
  }

  send(response: HttpResponse, firstLines: string): void {
    this.#send(this, response, firstLines)
  }

  report(error: unknown): void {
    logLine(this.#log, 'requestFailed', { requestId: this.requestId, keyId: this.keyId, failure: error })
  }
}

/** W3C Trace Context, 3.2.2. All-zero ids and version ff are invalid. */
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?![^-])/
const TRACEPARENT_LENGTH = 55

/** Returns the part that every version has. Later versions may append anything, so the rest is dropped. */
export function parseTraceparent(text: string | undefined): string | undefined {
  if (text === undefined || !TRACEPARENT.test(text)) return undefined
  if (text.startsWith('00') && text.length > TRACEPARENT_LENGTH) return undefined
  return text.slice(0, TRACEPARENT_LENGTH)
}
