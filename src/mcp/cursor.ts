import { hash } from 'node:crypto'
import { parseJson, tooMuchToParse } from '../lib/json-text.ts'
import type { Position } from '../lists/query.ts'
import { InvalidArgumentsError } from './invalid-arguments.ts'

export const changedCursor = () =>
  invalidCursor('is not a nextCursor of this list; give one exactly as it was returned, or leave it out to start over')

const invalidCursor = (fix: string) => new InvalidArgumentsError([{ argument: 'cursor', fix }])

/** A cursor holds two checksums and its values. None is secret: a forged cursor can only read its own workspace. */
const CHECKSUM_BYTES = 6
const VALUES_AT = 2 * CHECKSUM_BYTES

/** The page size and the fields may change from page to page, so they are left out. `only` is the rows that the key is limited to. */
export type CursorScope = readonly [workspaceId: string, tool: string, filters: object, ...only: string[]]

const checksum = (bytes: Buffer | string): Buffer => hash('sha256', bytes, 'buffer').subarray(0, CHECKSUM_BYTES)

/** The values are a position, after the bounds of the days that the first page was asked for. */
export function encodeCursor(scope: CursorScope, values: Position): string {
  const [of, position] = [checksum(JSON.stringify(scope)), Buffer.from(JSON.stringify(values))]
  return Buffer.concat([of, checksum(Buffer.concat([of, position])), position]).toString('base64url')
}

/** Throws an InvalidArgumentsError for invalid text, or a cursor of another list. */
export function decodeCursor(scope: CursorScope, text: string): Position {
  const bytes = Buffer.from(text, 'base64url')
  // Node ignores invalid base64url, so only a round trip proves that the text is well-formed.
  if (bytes.toString('base64url') !== text) throw changedCursor()
  const [of, position] = [bytes.subarray(0, CHECKSUM_BYTES), bytes.subarray(VALUES_AT)]
  if (!bytes.subarray(CHECKSUM_BYTES, VALUES_AT).equals(checksum(Buffer.concat([of, position])))) throw changedCursor()
  if (!of.equals(checksum(JSON.stringify(scope))))
    throw invalidCursor('belongs to a call with other filters; repeat those with it, or leave it out to start over')
  return valuesIn(position)
}

/** Checksums can be forged, so the content may be anything. */
function valuesIn(position: Buffer): Position {
  const text = position.toString()
  const values = tooMuchToParse(text) === undefined ? parseJson(text) : undefined
  if (!Array.isArray(values) || !values.every(isPositionValue)) throw changedCursor()
  return values
}

const isPositionValue = (value: unknown): boolean =>
  value === null || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))
