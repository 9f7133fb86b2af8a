/** Joins chunks. A single one is not copied, and doubling keeps the cost of many small ones low. */
export class GrowingBuffer {
  #bytes: Buffer = EMPTY
  length = 0

  /** The buffer grows to at most `maxBytes`, which the content must not exceed. */
  add(chunk: Buffer, maxBytes = Number.POSITIVE_INFINITY): void {
    const end = this.length + chunk.length
    if (this.length === 0) this.#bytes = chunk
    else {
      if (end > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], Math.min(2 * end, maxBytes))
      chunk.copy(this.#bytes, this.length)
    }
    this.length = end
  }

  get bytes(): Buffer {
    return this.length === this.#bytes.length ? this.#bytes : this.#bytes.subarray(0, this.length)
  }
}

const EMPTY = Buffer.alloc(0)
