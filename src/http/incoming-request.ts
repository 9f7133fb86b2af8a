import { IncomingMessage } from 'node:http'
import { readHeaders } from './request-headers.ts'

/** Node's own: its parser gives the names and values of the headers in turn. */
type AddHeaderLines = (this: IncomingMessage, headers: readonly string[], count: number) => void
const { _addHeaderLines: addHeaderLines } = IncomingMessage.prototype as unknown as { _addHeaderLines: AddHeaderLines }

/**
 * A request that keeps a body which arrives in one piece, as most do, beside the stream: the stream's events, each in a step of its
 * own after the response, are a tenth of what a small response costs. Any other body goes through the stream.
 */
export class IncomingRequest extends IncomingMessage {
  #wholeBody: Buffer | undefined
  /** Node's own, by which `optimizeEmptyRequests` closes the stream of a request without a body. */
  declare _dumpAndCloseReadable: () => void

  /** The body, if all of it arrived in one piece before anyone read the stream. */
  get wholeBody(): Buffer | undefined {
    return this.#wholeBody
  }

  _addHeaderLines(headers: readonly string[], count: number): void {
    addHeaderLines.call(this, headers, count)
    // Those after the body are trailers, which nobody reads.
    if (!this.complete) this.headers = readHeaders(headers)
  }

  /** Node's parser calls it with each piece of the body, and with null at its end. */
  override push(chunk: Buffer | null): boolean {
    if (chunk === null || this.readableFlowing !== null || this.readableLength > 0) return super.push(chunk)
    if (chunk.length !== Number(this.headers['content-length'])) return super.push(chunk)
    this.#wholeBody = chunk
    this._dumpAndCloseReadable()
    return true
  }
}
