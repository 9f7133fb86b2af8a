import { randomUUID } from 'node:crypto'
import { Socket } from 'node:net'
import type { Logger } from 'pino'
import type { HttpResponse, PublicRequest } from '../api/http-message.ts'
import type { Operation } from '../api/operation.ts'
import type { ApiRequest, ApiResponse, PublicApi } from '../api/public-api.ts'
import type { Admission } from '../database/admission.ts'
import type { KeyGate } from '../keys/admission.ts'
import { pairsOf } from '../lib/header-lines.ts'
import { logLine } from '../log-lines.ts'
import type { EventLoopTicks } from './event-loop-ticks.ts'
import { Exchange } from './exchange.ts'
import type { Handler } from './handler.ts'
import { IncomingRequest, OutgoingResponse, readHeaders } from './node-internals.ts'
import { bytesOf, headersOf } from './responses.ts'

const NO_PROXIES = 0

/** Runs operations through the usual handler, so the result is what the key's holder would get. */
export function createPerform(
  handler: () => Handler,
  operations: readonly Operation[],
  trustConnection: KeyGate['trustConnection'],
  afterTick: EventLoopTicks['afterCurrent'],
  log: Logger,
): PublicApi['perform'] {
  const paths = new Set(operations.map(({ path }) => path))
  return async (keyHash, request, caller) => {
    if (!paths.has(request.path)) throw new Error('only operations of the public API can be performed')
    // A page may call this before the next tick's requests are sent, and they must not share its check for changes.
    await new Promise<void>(afterTick)
    // It is never opened.
    const connection = Object.defineProperty(new Socket(), 'remoteAddress', { value: caller.address })
    const req = incomingRequest(connection, {
      ...request,
      headers: {
        host: 'localhost',
        ...(caller.agent !== undefined && { 'user-agent': caller.agent }),
        ...request.headers,
        authorization: trustConnection(connection, keyHash),
      },
    })
    const exchange = new InProcessExchange(req, new OutgoingResponse(req), NO_PROXIES, log)
    await handler()(exchange)
    if (exchange.sent === undefined) throw new Error('the request got no response')
    return exchange.sent
  }
}

class InProcessExchange extends Exchange {
  sent: ApiResponse | undefined

  override send(response: HttpResponse, firstLines: string): void {
    const headers = [...pairsIn(firstLines + (response.lines ?? '')), ...pairsOf(headersOf(response))]
    this.sent = { status: response.status, headers, body: bytesOf(response.body) }
  }
}

function incomingRequest(connection: Socket, { method, path, headers, body }: ApiRequest): IncomingRequest {
  const bytes = body === undefined ? undefined : Buffer.from(body)
  const all = bytes === undefined ? headers : { ...headers, 'content-length': String(bytes.length) }
  const req = new IncomingRequest(connection)
  Object.assign(req, { method, url: path, httpVersion: '1.1', headers: readHeaders(Object.entries(all).flat()) })
  if (bytes !== undefined) req.push(bytes)
  req.complete = true
  return req
}

const pairsIn = (lines: string) =>
  Array.from(lines.matchAll(/(.*?): (.*)\r\n/g), ([, name = '', value = '']) => [name, value] as const)

/** Runs operations without a key. A preview does not know which revision it reads, so nothing may be cached. */
export function createPreview(createOperations: () => readonly Operation[], log: Logger): PublicApi['preview'] {
  let operations: readonly Operation[] | undefined
  let previews = 0
  return async ({ permissions, ...access }, request) => {
    operations ??= createOperations()
    const operation = operations.find(({ path }) => path === request.path)
    if (operation === undefined) throw new Error('only operations of the public API can be previewed')
    const admission: Admission = {
      ...access,
      ...PREVIEW_KEY,
      permissions: new Set(permissions),
      revision: ++previews,
    }
    const { body } = await operation.respond(publicRequest(request, log), admission, async () => admission)
    return bytesOf(body)
  }
}

/** Its requests are not counted. */
const PREVIEW_KEY = {
  keyId: 'preview',
  isConnection: false,
  quota: { limit: 1, windowSeconds: 1 },
  window: { used: 0, resetsAt: 0 },
}

function publicRequest({ method, headers, body = '' }: ApiRequest, log: Logger): PublicRequest {
  const requestId = randomUUID()
  return {
    method,
    requestId,
    arrivedComplete: true,
    header: (name) => headers[name],
    body: () => Buffer.from(body),
    logFailure: (error) => logLine(log, 'previewFailed', { requestId, failure: error }),
  }
}
