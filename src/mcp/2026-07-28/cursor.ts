import { hash } from 'node:crypto'
import type { Position } from '../../database/queries.ts'

/**
 * A place in a list, as a text that a client brings back: the checksum of the question that the list answers, a checksum
 * over all of it, and the position of the last row seen. Neither is a secret: who forges a cursor reads his own workspace.
 */

const CHECKSUM_BYTES = 6
const POSITION_AT = 2 * CHECKSUM_BYTES

/** The workspace, the tool and the filters. The size of a page and the fields may change from page to page. */
export type CursorScope = readonly [workspaceId: string, tool: string, filters: object]

const checksum = (bytes: Buffer | string): Buffer => hash('sha256', bytes, 'buffer').subarray(0, CHECKSUM_BYTES)

const checksumOf = (scope: CursorScope): Buffer => checksum(JSON.stringify(scope))

export function encodeCursor(scope: CursorScope, position: Position): string {
  const [of, place] = [checksumOf(scope), Buffer.from(JSON.stringify(position))]
  return Buffer.concat([of, checksum(Buffer.concat([of, place])), place]).toString('base64url')
}

/** The position; or what is wrong: the text is no cursor, or one of another list. */
export function decodeCursor(scope: CursorScope, text: string): Position | 'changed' | 'of another question' {
  const bytes = Buffer.from(text, 'base64url')
  // Node skips what is not base64url; only what was written as an encoder writes it comes back the same.
  if (bytes.toString('base64url') !== text) return 'changed'
  const [of, place] = [bytes.subarray(0, CHECKSUM_BYTES), bytes.subarray(POSITION_AT)]
  if (!bytes.subarray(CHECKSUM_BYTES, POSITION_AT).equals(checksum(Buffer.concat([of, place])))) return 'changed'
  if (!of.equals(checksumOf(scope))) return 'of another question'
  return parsed(place) ?? 'changed'
}

/** Undefined if it is no position: who can compute a checksum can forge one. */
function parsed(place: Buffer): Position | undefined {
  try {
    const value: unknown = JSON.parse(place.toString())
    return Array.isArray(value) && value.every(isPlaceValue) ? value : undefined
  } catch {
    return undefined
  }
}

const isPlaceValue = (value: unknown): boolean =>
  value === null || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))
