import { hash } from 'node:crypto'
import { withOwnMemory } from '../lib/own-memory.ts'

/** The bytes of a response, and their tag, which is computed when it is first asked for. */
export class ServedBody {
  readonly bytes: Buffer
  /** When it changes by itself. */
  readonly until: number
  #etag: string | undefined

  constructor(bytes: Buffer, until: number) {
    this.bytes = withOwnMemory(bytes)
    this.until = until
  }

  /** Strong, and the same in every process: it depends on the bytes only. */
  get etag(): string {
    this.#etag ??= `"${hash('sha256', this.bytes, 'base64url').slice(0, 27)}"`
    return this.#etag
  }

  /** What it may come to hold, for whoever bounds memory. */
  get weight(): number {
    return this.bytes.length + OBJECTS
  }
}

/** Its objects and the tag, as measured: docs/decisions/0031-kept-answers.md. */
const OBJECTS = 800
