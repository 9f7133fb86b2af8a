import type { IncomingMessage, ServerResponse } from '../lib/node-http.ts'

export class ClientGone extends Error {
  override name = 'ClientGone'
}

/** What may arrive of a body before its key is admitted. */
const MAX_EARLY_BYTES = 64 * 1024
const EMPTY = Buffer.alloc(0)

/** With `optimizeEmptyRequests`, Node does not even open a stream for a request without a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/** The parser reports the end of a request a moment after its last byte. */
export const isComplete = (req: IncomingMessage): boolean =>
  req.complete || req.readableLength === Number(req.headers['content-length'])

/**
 * A body that arrives after the request's head. Its pieces are joined as they come: a client may send every byte as a chunk, and a
 * stream keeps half a kilobyte for each.
 */
export class LateBody {
  readonly #req: IncomingMessage
  readonly #end = Promise.withResolvers<void>()
  #bytes = EMPTY
  #length = 0
  #maxBytes = MAX_EARLY_BYTES
  #tooLarge: (() => Error) | undefined

  constructor(req: IncomingMessage) {
    this.#req = req
    this.#end.promise.catch(() => {})
    req.on('data', (chunk: Buffer) => this.#add(chunk))
    req.on('end', () => this.#end.resolve())
    req.on('close', () => this.fail(new ClientGone('the request ended early')))
    req.on('error', (error) => this.fail(new ClientGone(error.message)))
  }

  async read(maxBytes: number, tooLarge: () => Error): Promise<Buffer> {
    if (this.#length > maxBytes) throw tooLarge()
    this.#maxBytes = maxBytes
    this.#tooLarge = tooLarge
    this.#req.resume()
    await this.#end.promise
    return this.#bytes.subarray(0, this.#length)
  }

  fail(error: Error): void {
    this.#end.reject(error)
  }

  /** Once the response has been sent, nothing more is collected. */
  discard(): void {
    this.#req.removeAllListeners('data').resume()
  }

  #add(chunk: Buffer): void {
    const end = this.#length + chunk.length
    if (this.#tooLarge !== undefined && end > this.#maxBytes) {
      this.fail(this.#tooLarge())
      this.discard()
      return
    }
    // Doubling keeps the cost of many small pieces low.
    if (end > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes.subarray(0, this.#length)], 2 * end)
    chunk.copy(this.#bytes, this.#length)
    this.#length = end
    if (this.#tooLarge === undefined && end > this.#maxBytes) this.#req.pause()
  }
}

/** Expects a body that has arrived, or none. */
export function arrivedBody(req: IncomingMessage, maxBytes: number, tooLarge: () => Error): Buffer {
  const body: Buffer = hasBody(req) ? (req.read() ?? EMPTY) : EMPTY
  if (body.length > maxBytes) throw tooLarge()
  return body
}

/** A client with this header waits for it before it sends the body. */
export function writeContinueIfExpected({ httpVersion, headers }: IncomingMessage, res: ServerResponse): void {
  if (httpVersion === '1.1' && headers.expect?.toLowerCase() === '100-continue') res.writeContinue()
}
