import { hash } from 'node:crypto'
import { parseJson, tooMuchToParse } from '../lib/json-text.ts'
import { isPlainText } from '../lib/plain-text.ts'
import type { Moment, Place } from '../lists/query.ts'
import { MOMENT_BYTES, momentBytes, momentIn } from './etag.ts'
import { InvalidArgumentsError } from './invalid-arguments.ts'

export const changedCursor = () =>
  invalidCursor('is not a nextCursor of this list; give one exactly as it was returned, or leave it out to start over')

const invalidCursor = (fix: string) => new InvalidArgumentsError([{ argument: 'cursor', fix }])

/** Two checksums, a moment and a place. None is secret: a forged cursor can only read its own workspace. */
const CHECKSUM_BYTES = 6
const CONTENT_AT = 2 * CHECKSUM_BYTES

/** The page size and the fields may change from page to page, so they are left out. `only` is the rows that the key is limited to. */
export type CursorScope = readonly [workspaceId: string, tool: string, filters: object, ...only: string[]]

const checksum = (bytes: Buffer | string): Buffer => hash('sha256', bytes, 'buffer').subarray(0, CHECKSUM_BYTES)

interface Continuation {
  /** When the first page was read. */
  first: Moment
  after: Place
}

export function encodeCursor(scope: CursorScope, { first, after }: Continuation): string {
  const of = checksum(JSON.stringify(scope))
  const content = Buffer.concat([momentBytes(first), Buffer.from(JSON.stringify(after))])
  return Buffer.concat([of, checksum(Buffer.concat([of, content])), content]).toString('base64url')
}

/** Throws an InvalidArgumentsError for invalid text, or a cursor of another list. */
export function decodeCursor(scope: CursorScope, text: string): Continuation {
  const bytes = Buffer.from(text, 'base64url')
  // Node ignores invalid base64url, so only a round trip proves that the text is well-formed.
  if (bytes.toString('base64url') !== text) throw changedCursor()
  const [of, content] = [bytes.subarray(0, CHECKSUM_BYTES), bytes.subarray(CONTENT_AT)]
  if (!bytes.subarray(CHECKSUM_BYTES, CONTENT_AT).equals(checksum(Buffer.concat([of, content])))) throw changedCursor()
  if (!of.equals(checksum(JSON.stringify(scope))))
    throw invalidCursor('belongs to a call with other filters; repeat those with it, or leave it out to start over')
  // Checksums can be forged, so the content may be anything.
  const first = momentIn(content)
  if (first === undefined) throw changedCursor()
  return { first, after: placeIn(content.subarray(MOMENT_BYTES)) }
}

function placeIn(json: Buffer): Place {
  const text = json.toString()
  const place = tooMuchToParse(text) === undefined ? parseJson(text) : undefined
  if (!isPlace(place)) throw changedCursor()
  return place
}

const isPlace = (value: unknown): value is Place =>
  Array.isArray(value) &&
  value.length === 2 &&
  typeof value[0] === 'string' &&
  isPlainText(value[0]) &&
  Number.isSafeInteger(value[1])
