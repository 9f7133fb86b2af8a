import { hash } from 'node:crypto'
import { latin1WithOwnMemory, withOwnMemory } from '../lib/own-memory.ts'

/** The bytes of an answer in the forms in which they are served, each made once, when first asked for. */
export class ServedBody {
  readonly bytes: Buffer
  #etag: string | undefined
  #embedded: Buffer | undefined

  constructor(bytes: Buffer) {
    this.bytes = withOwnMemory(bytes)
  }

  /** Strong, and the same in every process: it is made of the bytes alone. */
  get etag(): string {
    this.#etag ??= `"${hash('sha256', this.bytes, 'base64url').slice(0, 27)}"`
    return this.#etag
  }

  /**
   * The body as a JSON string literal, with JSON before and after it: whoever embeds it does so always in the same. All
   * that has to be escaped are single bytes in UTF-8: Latin-1 carries the rest unchanged, and is many times faster to escape.
   */
  embedded(before: string, after: string): Buffer {
    if (this.#embedded !== undefined) return this.#embedded
    const text = `${before}${JSON.stringify(this.bytes.toString('latin1'))}${after}`
    const embedded = latin1WithOwnMemory(text)
    // Not if nearly all of it had to be escaped: the weight of the body was told before.
    if (embedded.length <= this.bytes.length * EMBEDDED_GROWTH + SMALL) this.#embedded = embedded
    return embedded
  }

  /** What it may come to hold, for whoever bounds memory. */
  get weight(): number {
    return this.bytes.length * (1 + EMBEDDED_GROWTH) + SMALL + OBJECTS
  }
}

/** Tasks have far fewer quotes. */
const EMBEDDED_GROWTH = 1.25
/** What stands around an embedded body, and a short body of nothing but names. */
const SMALL = 200
/** Its objects and the tag, as measured: docs/decisions/0031-kept-answers.md. */
const OBJECTS = 800
