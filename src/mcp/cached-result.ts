import type { BodyPart } from '../api/http-message.ts'
import { isoOf } from '../lib/instant.ts'
import { latin1WithOwnMemory } from '../lib/own-memory.ts'

/** Members of a result with other people's words, and their members. */
export type Untrusted = Readonly<Record<string, readonly string[]>>

export const UNAVAILABLE = 'The workspace is not available: it was archived or deleted.'

export interface ResultFormat {
  version: string
  /** Bounded and escaped for a model, and sent twice: as text and as `structuredContent`. */
  isForModels: boolean
  unavailable: readonly BodyPart[]
  /** The JSON before the text, as Latin-1. */
  head(untrusted?: Untrusted): string
}

/** A result begins with the time of its request. The rest is cached as it is sent. */
export class CachedResult {
  readonly #format: ResultFormat
  readonly #head: string
  readonly #inText: Buffer
  readonly #inResult: Buffer | undefined
  readonly #etag: string | undefined

  /** `rest` is the JSON from the second member on, as Latin-1, which is many times faster to escape. */
  constructor(format: ResultFormat, head: string, rest: string, etag?: string) {
    this.#format = format
    this.#head = head
    this.#inText = latin1WithOwnMemory(`${escapedIn(rest)}${format.isForModels ? '' : END_OF_TEXT}`)
    this.#inResult = format.isForModels ? latin1WithOwnMemory(`${rest}}}`) : undefined
    this.#etag = etag
  }

  parts(now: number, ifNoneMatch?: unknown): readonly BodyPart[] {
    const asOf = isoOf(now)
    if (ifNoneMatch !== undefined && ifNoneMatch === this.#etag)
      return new CachedResult(this.#format, this.#format.head(), `,"etag":"${this.#etag}"}`).#with(
        `"unchanged":true,"asOf":"${asOf}"`,
      )
    return this.#with(`"asOf":"${asOf}"`)
  }

  #with(first: string): readonly BodyPart[] {
    const start = `${this.#head}{${escapedIn(first)}`
    return this.#inResult === undefined
      ? [start, this.#inText]
      : [start, this.#inText, `"}],"structuredContent":{${first}`, this.#inResult]
  }

  get weight(): number {
    return this.#head.length + this.#inText.length + (this.#inResult?.length ?? 0) + OBJECTS
  }
}

/** Closes the text, its block, the content, the result and the envelope. */
const END_OF_TEXT = '"}]}}'

/** The estimated overhead, besides two buffers with their own memory. */
const OBJECTS = 600

const escapedIn = (json: string): string => JSON.stringify(json).slice(1, -1)
