import { createHash } from 'node:crypto'
import { latin1WithOwnMemory } from '../../lib/own-memory.ts'
import type { BodyPart } from '../../operation.ts'
import { resultTail } from '../json-rpc.ts'
import { SERVER_INFO } from './protocol.ts'

/**
 * A structured result is sent twice: as `structuredContent`, and as the text of the one content block. Its first members
 * change with every request; the rest is cached in both forms, and never copied or examined again.
 */
export class CachedResult {
  readonly #inText: Buffer
  readonly #inResult: Buffer

  /**
   * The JSON of an object from its second member on, with the comma before it and the brace that closes it; its bytes
   * as Latin-1, which is many times faster to escape than text with characters of other scripts.
   */
  constructor(rest: string) {
    this.#inText = latin1WithOwnMemory(escapedIn(rest))
    this.#inResult = latin1WithOwnMemory(`${rest}}}`)
  }

  /** The parts of a result's tail, see `resultTail`. `first` is the JSON of the first members, which are plain ASCII. */
  parts(head: string, first: string): readonly BodyPart[] {
    return [`${head}{${escapedIn(first)}`, this.#inText, `"}],"structuredContent":{${first}`, this.#inResult]
  }

  /** The bytes of memory that it takes. */
  get weight(): number {
    return this.#inText.length + this.#inResult.length + OBJECTS
  }
}

/** Two buffers with memory of their own, and this. */
const OBJECTS = 600

/** What stands before the text of every result of a tool, as Latin-1. `untrusted` names the members with other people's words. */
export function resultHead(untrusted: Readonly<Record<string, readonly string[]>>): string {
  const meta = JSON.stringify({ ...SERVER_INFO, 'vitrine/untrusted': untrusted })
  const head = `{"resultType":"complete","_meta":${meta},"content":[{"type":"text","text":"`
  return Buffer.from(head).toString('latin1')
}

/** JSON within a string literal of JSON. */
const escapedIn = (json: string): string => JSON.stringify(json).slice(1, -1)

/** What a page of a list contains beside the time. */
interface Page {
  /** The member that holds the rows. */
  member: string
  timezone: string | null
  nextCursor: string | null
  /** JSON objects with commas between them, escaped for models. */
  rows: Buffer
}

/** 72 bits, which no two responses share by chance; longer, and an unchanged answer to a request with a UUID as its id is over 400 bytes. */
const ETAG_LENGTH = 12

/** A page of a list in the form in which it is sent. What matters comes before the rows, should a client cut the text. */
export class CachedPage {
  readonly #etag: string
  readonly #result: CachedResult

  /** The etag covers the question too, and is the same in every process. */
  constructor(question: string, { member, timezone, nextCursor, rows }: Page) {
    const zone = `,"timezone":${JSON.stringify(timezone)}`
    const before = `,"hasMore":${nextCursor !== null},"nextCursor":${JSON.stringify(nextCursor)},"${member}":[`
    const list = `${before}${rows.toString('latin1')}]}`
    const sum = createHash('sha256').update(`${question}\n${zone}`).update(list, 'latin1')
    this.#etag = sum.digest('base64url').slice(0, ETAG_LENGTH)
    this.#result = new CachedResult(`${zone},"etag":"${this.#etag}"${list}`)
  }

  get weight(): number {
    return this.#result.weight
  }

  /** The parts of a result's tail. */
  parts(head: string, now: number, ifNoneMatch: unknown): readonly BodyPart[] {
    const asOf = new Date(now).toISOString()
    if (ifNoneMatch !== this.#etag) return this.#result.parts(head, `"asOf":"${asOf}"`)
    const unchanged = { unchanged: true, asOf, etag: this.#etag }
    const content = [{ type: 'text', text: JSON.stringify(unchanged) }]
    return [resultTail({ resultType: 'complete', _meta: SERVER_INFO, content, structuredContent: unchanged })]
  }
}
