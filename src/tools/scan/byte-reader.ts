const NOTHING: Buffer = Buffer.alloc(0)

/** Reads a stream of chunks by lengths, for formats whose headers say how long what follows is. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>
  #held = NOTHING
  #hasEnded = false

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** The next bytes without taking them; fewer if the stream ends before. */
  async peek(length: number): Promise<Buffer> {
    while (this.#held.length < length && (await this.#more()));
    return this.#held.subarray(0, length)
  }

  /** Undefined if the stream ends before. */
  async read(length: number): Promise<Buffer | undefined> {
    return (await this.peek(length)).length < length ? undefined : this.#take(length)
  }

  /** What has arrived already, so that many small pieces are read without waiting for each; undefined if not all of it has. */
  readHeld(length: number): Buffer | undefined {
    return this.#held.length < length ? undefined : this.#take(length)
  }

  /** Up to the byte, which is taken too; undefined if it is not among the next `maxLength` bytes. */
  async readUntil(byte: number, maxLength: number): Promise<Buffer | undefined> {
    for (;;) {
      const at = this.#held.indexOf(byte)
      if (at !== -1 && at < maxLength) return this.#take(at + 1).subarray(0, at)
      if (at !== -1 || this.#held.length >= maxLength || !(await this.#more())) return undefined
    }
  }

  /** Everything that is left, or the next `length` bytes of it. The reader goes on after what was taken. */
  async *stream(length = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
    for (let left = length; left > 0; ) {
      if (this.#held.length === 0 && !(await this.#more())) return
      const piece = this.#take(Math.min(left, this.#held.length))
      left -= piece.length
      yield piece
    }
  }

  #take(length: number): Buffer {
    const taken = this.#held.subarray(0, length)
    this.#held = this.#held.subarray(length)
    return taken
  }

  async #more(): Promise<boolean> {
    if (this.#hasEnded) return false
    const { done, value } = await this.#chunks.next()
    if (done) this.#hasEnded = true
    else this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value])
    return !done
  }
}
