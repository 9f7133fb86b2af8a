import { hash } from 'node:crypto'

/** The bytes of an answer in the forms in which they are served, each made once, when first asked for. */
export class ServedBody {
  readonly bytes: Buffer
  #etag: string | undefined
  #embedded: Buffer | undefined

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  /** Strong, and the same in every process: it is made of the bytes alone. */
  get etag(): string {
    this.#etag ??= `"${hash('sha256', this.bytes, 'base64url').slice(0, 27)}"`
    return this.#etag
  }

  /**
   * The body as a JSON string literal, with JSON before and after it: whoever embeds it does so always in the same. It
   * is valid JSON itself, so quotes and backslashes are all there is to escape, and those are single bytes in UTF-8:
   * Latin-1 carries the rest unchanged.
   */
  embedded(before: string, after: string): Buffer {
    this.#embedded ??= Buffer.from(
      `${before}"${this.bytes.toString('latin1').replace(/["\\]/g, '\\$&')}"${after}`,
      'latin1',
    )
    return this.#embedded
  }

  /** What it may come to hold, for whoever bounds memory. */
  get weight(): number {
    return this.bytes.length * 2.2 + 500
  }
}
