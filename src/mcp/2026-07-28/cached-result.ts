import { createHash } from 'node:crypto'
import { latin1WithOwnMemory } from '../../lib/own-memory.ts'
import type { BodyPart } from '../../operation.ts'
import { resultTail } from '../json-rpc.ts'
import { SERVER_INFO } from './protocol.ts'

/** The result is sent twice, as `structuredContent` and as text. All but its first members is cached in both forms. */
export class CachedResult {
  readonly #inText: Buffer
  readonly #inResult: Buffer

  /** `rest` is the JSON from the second member on, as Latin-1, which is many times faster to escape. */
  constructor(rest: string) {
    this.#inText = latin1WithOwnMemory(escapedIn(rest))
    this.#inResult = latin1WithOwnMemory(`${rest}}}`)
  }

  /** `first` is the JSON of the first members, which are plain ASCII. */
  parts(head: string, first: string): readonly BodyPart[] {
    return [`${head}{${escapedIn(first)}`, this.#inText, `"}],"structuredContent":{${first}`, this.#inResult]
  }

  /** In bytes of memory. */
  get weight(): number {
    return this.#inText.length + this.#inResult.length + OBJECTS
  }
}

/** The estimated overhead, beside two buffers with their own memory. */
const OBJECTS = 600

/** As Latin-1. `untrusted` names the members with other people's words. */
export function resultHead(untrusted: Readonly<Record<string, readonly string[]>>): string {
  const meta = JSON.stringify({ ...SERVER_INFO, 'vitrine/untrusted': untrusted })
  const head = `{"resultType":"complete","_meta":${meta},"content":[{"type":"text","text":"`
  return Buffer.from(head).toString('latin1')
}

const escapedIn = (json: string): string => JSON.stringify(json).slice(1, -1)

interface Page {
  member: string
  timezone: string | null
  nextCursor: string | null
  /** Comma-separated JSON objects, escaped for models. */
  rows: Buffer
}

/** 72 bits avoid collisions, and keep an unchanged response with a UUID as its id under 400 bytes. */
const ETAG_LENGTH = 12

/** The important members come before the rows, in case a client cuts the text. */
export class CachedPage {
  readonly #etag: string
  readonly #result: CachedResult

  /** The etag also covers the question, and is the same in every process. */
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

  parts(head: string, now: number, ifNoneMatch: unknown): readonly BodyPart[] {
    const asOf = new Date(now).toISOString()
    if (ifNoneMatch !== this.#etag) return this.#result.parts(head, `"asOf":"${asOf}"`)
    const unchanged = { unchanged: true, asOf, etag: this.#etag }
    const content = [{ type: 'text', text: JSON.stringify(unchanged) }]
    return [resultTail({ resultType: 'complete', _meta: SERVER_INFO, content, structuredContent: unchanged })]
  }
}
