import { latin1WithOwnMemory } from '../../lib/own-memory.ts'
import type { BodyPart } from '../../operation.ts'
import { resultTail } from '../json-rpc.ts'
import { SERVER_INFO } from './protocol.ts'

/**
 * A structured answer goes out twice: as `structuredContent`, and as the text of the one content block. Its first members
 * change with every request, the rest is kept in both forms, and nothing that is kept is copied or looked at again.
 */
export class KeptResponse {
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
    return [`${head}{${escapedIn(first)}`, this.#inText, `${MIDDLE}{${first}`, this.#inResult]
  }

  /** For whoever bounds memory. */
  get weight(): number {
    return this.#inText.length + this.#inResult.length + OBJECTS
  }
}

/** Two buffers with memory of their own, and this. */
const OBJECTS = 600

const MIDDLE = '"}],"structuredContent":'

/**
 * What stands before the text of every response of a tool, as Latin-1. `untrusted` names the members that hold other people's
 * words.
 */
export function resultHead(untrusted: Readonly<Record<string, readonly string[]>>): string {
  const meta = JSON.stringify({ ...SERVER_INFO, 'vitrine/untrusted': untrusted })
  const head = `{"resultType":"complete","_meta":${meta},"content":[{"type":"text","text":"`
  return Buffer.from(head).toString('latin1')
}

/** A response with nobody's words in it. */
export const smallTail = (value: object): Buffer =>
  resultTail({
    resultType: 'complete',
    _meta: SERVER_INFO,
    content: [{ type: 'text', text: JSON.stringify(value) }],
    structuredContent: value,
  })

/** JSON within a string literal of JSON. */
const escapedIn = (json: string): string => JSON.stringify(json).slice(1, -1)
