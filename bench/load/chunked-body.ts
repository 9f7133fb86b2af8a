const LF = 10
const CR = 13

/** Follows a body sent in chunks, without keeping it. */
export class ChunkedBody {
  length = 0
  #state: 'size' | 'data' | 'trailer' | 'end' = 'size'
  #size = 0
  #missing = 0
  #lineLength = 0

  /** Takes the bytes from `at` up to `end`; true when the body ends with them. */
  feed(bytes: Buffer, at: number, end: number): boolean {
    let i = at
    while (i < end) {
      if (this.#state === 'end') throw new Error('bytes follow the last chunk')
      if (this.#state === 'data') {
        const taken = Math.min(this.#missing, end - i)
        this.#missing -= taken
        i += taken
        if (this.#missing === 0) this.#state = 'size'
      } else this.#takeLine(bytes[i++] as number)
    }
    return this.#state === 'end'
  }

  #takeLine(byte: number): void {
    if (byte !== LF) {
      if (byte === CR) return
      this.#lineLength++
      if (this.#state === 'size') this.#size = this.#size * 16 + hexDigit(byte)
      return
    }
    const isEmpty = this.#lineLength === 0
    this.#lineLength = 0
    if (this.#state === 'trailer') {
      if (isEmpty) this.#state = 'end'
    } else if (!isEmpty) this.#beginChunk()
  }

  #beginChunk(): void {
    this.length += this.#size
    this.#missing = this.#size
    this.#state = this.#size === 0 ? 'trailer' : 'data'
    this.#size = 0
  }
}

function hexDigit(byte: number): number {
  const digit = Number.parseInt(String.fromCharCode(byte), 16)
  if (Number.isNaN(digit)) throw new Error('a chunk has no size')
  return digit
}
