import { isoOf } from '../lib/instant.ts'
import { latin1WithOwnMemory } from '../lib/own-memory.ts'
import { ENVELOPE_END, type ResultTail } from './json-rpc.ts'

/** Members of a result with other people's words, and their members. */
export type Untrusted = Readonly<Record<string, readonly string[]>>

export const UNAVAILABLE = 'The workspace is not available: it was archived or deleted.'

export interface ResultFormat {
  version: string
  /** Bounded and escaped for a model, and sent twice: as text and as `structuredContent`. */
  isForModels: boolean
  unavailable: ResultTail
  /** The JSON of a result up to the first character of its text, as Latin-1. */
  textStart(untrusted?: Untrusted): string
}

/** A result begins with the time of its request. The rest is cached as it is sent. */
export class CachedResult {
  readonly #format: ResultFormat
  readonly #textStart: string
  readonly #inText: Buffer
  readonly #structured: Buffer | undefined
  readonly #etag: string | undefined

  /** `rest` is the JSON from the second member on, as Latin-1, which is many times faster to escape. */
  constructor(format: ResultFormat, textStart: string, rest: string, etag?: string) {
    this.#format = format
    this.#textStart = textStart
    this.#inText = latin1WithOwnMemory(`${escapedIn(rest)}${TEXT_END}${format.isForModels ? STRUCTURED : RESULT_END}`)
    this.#structured = format.isForModels ? latin1WithOwnMemory(`${rest}${RESULT_END}`) : undefined
    this.#etag = etag
  }

  tailAt(now: number, ifNoneMatch?: unknown): ResultTail {
    const asOf = isoOf(now)
    if (ifNoneMatch !== undefined && ifNoneMatch === this.#etag)
      return new CachedResult(this.#format, this.#format.textStart(), `,"etag":"${this.#etag}"}`).#with(
        `"unchanged":true,"asOf":"${asOf}"`,
      )
    return this.#with(`"asOf":"${asOf}"`)
  }

  #with(first: string): ResultTail {
    const start = `${this.#textStart}{${escapedIn(first)}`
    return this.#structured === undefined ? [start, this.#inText] : [start, this.#inText, `{${first}`, this.#structured]
  }

  get weight(): number {
    return this.#textStart.length + this.#inText.length + (this.#structured?.length ?? 0) + OBJECTS
  }
}

/** Closes the text, its block and the content. */
const TEXT_END = '"}]'
const STRUCTURED = ',"structuredContent":'
const RESULT_END = `}${ENVELOPE_END}`

/** The estimated overhead, besides two buffers with their own memory. */
const OBJECTS = 600

const escapedIn = (json: string): string => JSON.stringify(json).slice(1, -1)
