import { Socket } from 'node:net'
import type { Caller } from '../database/caller.ts'
import type { TrustConnection } from '../keys/admission.ts'
import type { ApiRequest, ApiResponse, Operation, PublicApi } from '../operation.ts'
import type { Handler } from './handler.ts'
import { IncomingRequest } from './incoming-request.ts'
import { OutgoingResponse } from './outgoing-response.ts'
import { readHeaders } from './request-headers.ts'

/**
 * Hands requests to the handler of every other one, over a connection that is never opened: the same steps, from load shedding to the
 * log line, so what comes back is what the key's holder would get. Nothing but operations can be reached.
 */
export function createPerform(
  handle: Handler,
  operations: readonly Operation[],
  trustConnection: TrustConnection,
): PublicApi['perform'] {
  const paths = new Set(operations.map(({ path }) => path))
  return async (keyHash, request, caller) => {
    if (!paths.has(request.path)) throw new Error('only operations of the public API are performed')
    const connection = unopenedConnection(caller)
    const req = incomingRequest(connection, {
      ...request,
      headers: {
        host: 'localhost',
        ...(caller.agent !== undefined && { 'user-agent': caller.agent }),
        ...request.headers,
        authorization: trustConnection(connection, keyHash),
      },
    })
    const res = new CollectedResponse(req)
    await handle(req, res)
    return res.collected()
  }
}

/** A socket without a file descriptor, from the caller's address. */
function unopenedConnection({ address }: Caller): Socket {
  return Object.defineProperty(new Socket(), 'remoteAddress', { value: address })
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

/** Keeps what would be written. */
class CollectedResponse extends OutgoingResponse {
  #status = 0
  #headers: readonly string[] = []
  readonly #chunks: Buffer[] = []
  #hasEnded = false

  override writeHead(status: number, ...[headers]: unknown[]): this {
    this.#status = status
    this.#headers = headers as readonly string[]
    return this
  }

  override cork(): void {}

  override write(chunk: unknown): boolean {
    this.#chunks.push(typeof chunk === 'string' ? Buffer.from(chunk, 'latin1') : (chunk as Buffer))
    return true
  }

  override end(chunk?: unknown): this {
    if (chunk !== undefined) this.write(chunk)
    this.#hasEnded = true
    return this
  }

  collected(): ApiResponse {
    if (!this.#hasEnded) throw new Error('the request was not answered')
    return {
      status: this.#status,
      headers: [...pairsIn(this.firstLines), ...pairsOf(this.#headers)],
      body: Buffer.concat(this.#chunks),
    }
  }
}

const pairsIn = (lines: string) =>
  lines
    .split('\r\n')
    .filter((line) => line !== '')
    .map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)] as const)

/** Of names and values in turn. */
export const pairsOf = (headers: readonly string[]) =>
  headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ''] as const] : []))
