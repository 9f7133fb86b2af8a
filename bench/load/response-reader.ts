import { ChunkedBody } from './chunked-body.ts'

const HEAD_END = Buffer.from('\r\n\r\n')

/**
 * Finds where answers end on a connection that asks one thing at a time, from bytes and without keeping them: a load
 * generator must cost little, or it is measured itself.
 */
export class ResponseReader {
  status = 0
  bodyLength = 0
  #missing = 0
  #chunks: ChunkedBody | undefined
  /** The beginning of a head that came in pieces. */
  #piece: Buffer | undefined
  #lastHeadLength = 0
  #lastLengthAt = 0
  #lastLengthLine: Buffer = Buffer.alloc(0)

  /** Takes the first `count` bytes of a buffer that the next read may overwrite; true when a response ends with them. */
  feed(buffer: Buffer, count: number): boolean {
    if (this.#missing > 0) return this.#take(count)
    if (this.#chunks !== undefined) return this.#takeChunks(buffer, 0, count)
    if (this.#piece === undefined) return this.#begin(buffer, count)
    const joined = Buffer.concat([this.#piece, buffer.subarray(0, count)])
    this.#piece = undefined
    return this.#begin(joined, joined.length)
  }

  #begin(buffer: Buffer, count: number): boolean {
    const headEnd = buffer.indexOf(HEAD_END)
    const headLength = headEnd + HEAD_END.length
    // What lies behind `count` is left over from an earlier read.
    if (headEnd === -1 || headLength > count) {
      this.#piece = Buffer.from(buffer.subarray(0, count))
      return false
    }
    this.status = Number(buffer[9]) * 100 + Number(buffer[10]) * 10 + Number(buffer[11]) - 48 * 111
    if (!this.#hasLastLength(buffer, headLength)) this.#readHead(buffer, headLength)
    if (this.#chunks !== undefined) return this.#takeChunks(buffer, headLength, count)
    this.#missing = this.bodyLength
    return this.#take(count - headLength)
  }

  /** Nearly every head is like the last one: it is enough to see that its length is said in the same words and place. */
  #hasLastLength(buffer: Buffer, headLength: number): boolean {
    const line = this.#lastLengthLine
    if (line.length === 0 || headLength !== this.#lastHeadLength) return false
    return line.compare(buffer, this.#lastLengthAt, this.#lastLengthAt + line.length) === 0
  }

  #readHead(buffer: Buffer, headLength: number): void {
    const head = buffer.toString('latin1', 0, headLength)
    if (!head.startsWith('HTTP/1.1 ')) throw new Error(`not an HTTP/1.1 answer: ${head.slice(0, 40)}`)
    this.#lastLengthLine = Buffer.alloc(0)
    this.bodyLength = 0
    if (/\r\ntransfer-encoding: *chunked\r\n/i.test(head)) {
      this.#chunks = new ChunkedBody()
      return
    }
    const length = /\r\ncontent-length: *(\d+)\r\n/i.exec(head)
    if (length === null) {
      if (this.status !== 304 && this.status !== 204) throw new Error('an answer does not say how long it is')
      return
    }
    this.bodyLength = Number(length[1])
    this.#lastHeadLength = headLength
    this.#lastLengthAt = length.index
    this.#lastLengthLine = Buffer.from(length[0], 'latin1')
  }

  #take(count: number): boolean {
    this.#missing -= count
    if (this.#missing < 0) throw new Error('bytes follow an answer')
    return this.#missing === 0
  }

  #takeChunks(buffer: Buffer, at: number, end: number): boolean {
    const chunks = this.#chunks as ChunkedBody
    if (!chunks.feed(buffer, at, end)) return false
    this.bodyLength = chunks.length
    this.#chunks = undefined
    return true
  }
}
