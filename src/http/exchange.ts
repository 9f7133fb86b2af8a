import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { Caller } from '../database/caller.ts'
import type { Admission } from '../database/store.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { PrivateRequest, PublicRequest } from '../operation.ts'
import type { ProblemCode } from '../problems/catalogue.ts'
import { isWhole, readBody } from './body.ts'
import { clientAddress } from './client-address.ts'
import { describeFailure } from './logging.ts'
import { type Route, targetQuery } from './routing.ts'

/** A request on its way to its answer. Each step adds what it learned; the answer and the log line end it. */
export class Exchange implements PublicRequest, PrivateRequest {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly requestId = randomUUID()
  readonly startedAt = performance.now()
  readonly caller: Caller
  readonly #log: Logger
  #cameWhole: boolean | undefined
  path = ''
  route: Route | undefined
  /** What the gate said, if it let the request pass. */
  admission: Admission | undefined
  refusal: ProblemCode | undefined
  /** Whether it came for the API, whose every answer tells the quota, and not for a page beside it. */
  isForApi = true
  /** Headers of its answer that no other request's has, names and values in turn. */
  ownHeaders: readonly string[] = []

  constructor(req: IncomingMessage, res: ServerResponse, trustedProxies: number, log: Logger) {
    this.req = req
    this.res = res
    this.caller = { address: clientAddress(req, trustedProxies), agent: this.header('user-agent') }
    this.#log = log
  }

  /** To be asked for before anything is waited for or read; what it was then it stays. */
  get cameWhole(): boolean {
    this.#cameWhole ??= isWhole(this.req)
    return this.#cameWhole
  }

  get keyId(): string | undefined {
    return this.admission?.keyId
  }

  get connection(): object {
    return this.req.socket
  }

  get method(): string {
    return this.req.method ?? ''
  }

  get isGone(): boolean {
    return this.req.socket.destroyed
  }

  get query(): URLSearchParams {
    return targetQuery(this.req.url ?? '')
  }

  header(name: string): string | undefined {
    const value = this.req.headers[name]
    return typeof value === 'object' ? value.join(', ') : value
  }

  body(maxBytes: number, tooLarge: () => Error): MaybePromise<Buffer> {
    return readBody(this.req, this.res, maxBytes, tooLarge)
  }

  report(error: unknown): void {
    this.#log.error({ requestId: this.requestId, keyId: this.keyId, failure: describeFailure(error) }, 'request failed')
  }

  noteForbidden(): void {
    this.refusal = 'forbidden'
  }
}
