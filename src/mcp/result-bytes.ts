/**
 * The bytes of a tool's result, in the order in which they are sent:
 *
 *   {"jsonrpc":"2.0","id":7,"result":         envelopeStart   depends on the request
 *   {…"content":[{"type":"text","text":"      textStart       depends on the protocol version
 *   {\"asOf\":\"2026-11-18T09:00:00Z\"        first members   depend on the time
 *   ,\"total\":2,\"tasks\":[…]}              members         escaped
 *   "}]                                       CONTENT_END
 *   ,"structuredContent":                     STRUCTURED
 *   {"asOf":"2026-11-18T09:00:00Z"            first members
 *   ,"total":2,"tasks":[…]}                   members
 *   }}                                        RESULT_END
 *
 * Without `structuredContent`, which only some formats have, RESULT_END follows CONTENT_END. Members are cached as they are sent,
 * with what follows them, so a hit escapes only the first members.
 */
import { isoOf } from '../lib/instant.ts'
import { withOwnMemory } from '../resources/response-cache.ts'
import { isSameResult } from './etag.ts'
import type { Untrusted } from './untrusted-members.ts'

/** A result or an error up to the end of its envelope, in parts. */
export type ResultBytes = readonly Buffer[]

export interface ResultFormat {
  version: string
  /** Bounded and escaped for a model, and sent twice: as text and as `structuredContent`. */
  isForModels: boolean
  unavailable: ResultBytes
  textStart(untrusted?: Untrusted): string
}

/** Every result ends with it: as a part of its own, it would be one more write for a large response. */
export const ENVELOPE_END = '}'
const RESULT_END = `}${ENVELOPE_END}`
/** Closes the text, its block and the content. */
const CONTENT_END = '"}]'
const STRUCTURED = ',"structuredContent":'

/** An error has no id if the request's id cannot be read. */
export const envelopeStart = (idJson: string | undefined, member: 'result' | 'error'): Buffer =>
  Buffer.from(idJson === undefined ? `{"jsonrpc":"2.0","${member}":` : `{"jsonrpc":"2.0","id":${idJson},"${member}":`)

export const toResultBytes = (value: object): ResultBytes => [Buffer.from(`${JSON.stringify(value)}${ENVELOPE_END}`)]

/** The members of an object, as JSON, each after a comma. */
export const toMembers = (value: object): string => membersIn(JSON.stringify(value))

/** Those of a JSON object that is not empty. */
export const membersIn = (json: string): string => `,${json.slice(1, -1)}`

const escaped = (json: string): string => JSON.stringify(json).slice(1, -1)

const toBuffer = (text: string): Buffer => withOwnMemory(Buffer.from(text))

/** Estimates, besides the buffers and their memory. */
const OVERHEAD_OF_ONE_BUFFER = 400
const OVERHEAD_OF_TWO_BUFFERS = 600

/** A result without the time, so that all of it is cached. */
export function toTextResult(textStart: string, json: string): { bytes: ResultBytes; weight: number } {
  const buffer = toBuffer(`${textStart}${escaped(json)}${CONTENT_END}${RESULT_END}`)
  return { bytes: [buffer], weight: buffer.length + OVERHEAD_OF_ONE_BUFFER }
}

/** A result with the time of the request. The rest is cached. */
export class CachedResult {
  readonly #format: ResultFormat
  readonly #textStart: string
  readonly #inText: Buffer
  readonly #structured: Buffer | undefined
  readonly #etag: string

  constructor(format: ResultFormat, textStart: string, members: string, etag = '') {
    this.#format = format
    this.#textStart = textStart
    const end = format.isForModels ? STRUCTURED : RESULT_END
    this.#inText = toBuffer(`${escaped(members)}}${CONTENT_END}${end}`)
    this.#structured = format.isForModels ? toBuffer(`${members}}${RESULT_END}`) : undefined
    this.#etag = etag
  }

  bytesAt(now: number, ifNoneMatch = ''): ResultBytes {
    const asOf = isoOf(now)
    if (!isSameResult(ifNoneMatch, this.#etag)) return this.#with(`"asOf":"${asOf}"`)
    const unchanged = new CachedResult(this.#format, this.#format.textStart(), `,"etag":"${this.#etag}"`)
    return unchanged.#with(`"unchanged":true,"asOf":"${asOf}"`)
  }

  #with(first: string): ResultBytes {
    const start = Buffer.from(`${this.#textStart}{${escaped(first)}`)
    if (this.#structured === undefined) return [start, this.#inText]
    return [start, this.#inText, Buffer.from(`{${first}`), this.#structured]
  }

  get weight(): number {
    return this.#textStart.length + this.#inText.length + (this.#structured?.length ?? 0) + OVERHEAD_OF_TWO_BUFFERS
  }
}
