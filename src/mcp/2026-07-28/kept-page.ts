import { createHash } from 'node:crypto'
import type { BodyPart } from '../../operation.ts'
import { KeptResponse, smallTail } from './response.ts'

/** What is answered of a list beside the time. */
interface Page {
  /** The member that holds the rows. */
  member: string
  timezone: string | null
  nextCursor: string | null
  /** JSON objects with commas between them, in which nothing hides. */
  rows: Buffer
}

/** 72 bits, which no two responses share by chance; longer, and an unchanged answer to a request with a UUID as its id is over 400 bytes. */
const ETAG_LENGTH = 12

/** A page of a list in the form in which it is sent. What matters comes before the rows, should a client cut the text. */
export class KeptPage {
  readonly etag: string
  readonly #answer: KeptResponse

  /** The tag is of the question too, and the same in every process. */
  constructor(question: string, { member, timezone, nextCursor, rows }: Page) {
    const zone = `,"timezone":${JSON.stringify(timezone)}`
    const before = `,"hasMore":${nextCursor !== null},"nextCursor":${JSON.stringify(nextCursor)},"${member}":[`
    const list = `${before}${rows.toString('latin1')}]}`
    const sum = createHash('sha256').update(`${question}\n${zone}`).update(list, 'latin1')
    this.etag = sum.digest('base64url').slice(0, ETAG_LENGTH)
    this.#answer = new KeptResponse(`${zone},"etag":"${this.etag}"${list}`)
  }

  get weight(): number {
    return this.#answer.weight
  }

  /** The parts of a result's tail. */
  parts(head: string, now: number, ifNoneMatch: unknown): readonly BodyPart[] {
    const asOf = new Date(now).toISOString()
    if (ifNoneMatch === this.etag) return [smallTail({ unchanged: true, asOf, etag: this.etag })]
    return this.#answer.parts(head, `"asOf":"${asOf}"`)
  }
}
