import { hash } from 'node:crypto'
import type { PageRequest, Position } from '../../database/queries.ts'
import type { Zone } from '../../lib/zone.ts'
import type { ListShape } from '../../resources/list.ts'
import type { Argument, NormalisedArguments } from './arguments.ts'
import { instantOf } from './clock.ts'
import { InvalidArgumentsError } from './errors.ts'

interface ScopedRequest {
  request: PageRequest
  scope: CursorScope
}

/** Throws an InvalidArgumentsError for an invalid cursor. */
export function pageRequests(tool: string, list: ListShape, args: readonly Argument[]) {
  const moments = args.filter(({ isMoment = false }) => isMoment).map(({ name }) => name)
  return (workspaceId: string, question: NormalisedArguments, zone: Zone): ScopedRequest => {
    const { limit = list.limit, cursor, fields, ...given } = question
    const filters = { ...given } as Record<string, string | number>
    for (const name of moments) if (name in filters) filters[name] = instantOf(String(filters[name]), zone)
    // Uses instants, because the same dates select another list in another timezone.
    const scope: CursorScope = [workspaceId, tool, filters]
    const request: PageRequest = {
      filters,
      limit: limit as number,
      ...(cursor !== undefined && { after: decodeCursor(scope, cursor as string) }),
      ...(fields !== undefined && { fields: fields as readonly string[] }),
      findNext: true,
    }
    return { request, scope }
  }
}

export const changedCursor = () =>
  invalidCursor('is no nextCursor of this list: give one exactly as it was answered, or leave it out to begin again.')

const invalidCursor = (fix: string) => new InvalidArgumentsError([{ argument: 'cursor', fix }])

/** A cursor holds two checksums and a position. None is secret: a forged cursor can only read its own workspace. */
const CHECKSUM_BYTES = 6
const POSITION_AT = 2 * CHECKSUM_BYTES

/** The page size and the fields may change from page to page, so they are left out. */
export type CursorScope = readonly [workspaceId: string, tool: string, filters: object]

const checksum = (bytes: Buffer | string): Buffer => hash('sha256', bytes, 'buffer').subarray(0, CHECKSUM_BYTES)

export function encodeCursor(scope: CursorScope, position: Position): string {
  const [of, place] = [checksum(JSON.stringify(scope)), Buffer.from(JSON.stringify(position))]
  return Buffer.concat([of, checksum(Buffer.concat([of, place])), place]).toString('base64url')
}

/** Throws an InvalidArgumentsError for invalid text, or a cursor of another list. */
export function decodeCursor(scope: CursorScope, text: string): Position {
  const bytes = Buffer.from(text, 'base64url')
  // Node ignores invalid base64url, so only a round trip proves that the text is well-formed.
  if (bytes.toString('base64url') !== text) throw changedCursor()
  const [of, place] = [bytes.subarray(0, CHECKSUM_BYTES), bytes.subarray(POSITION_AT)]
  if (!bytes.subarray(CHECKSUM_BYTES, POSITION_AT).equals(checksum(Buffer.concat([of, place])))) throw changedCursor()
  if (!of.equals(checksum(JSON.stringify(scope))))
    throw invalidCursor(
      'belongs to a call with other filters: repeat those together with it, or leave it out to begin again.',
    )
  return positionIn(place)
}

/** Checksums can be forged, so the content may not be a position. */
function positionIn(place: Buffer): Position {
  let value: unknown
  try {
    value = JSON.parse(place.toString())
  } catch {}
  if (!Array.isArray(value) || !value.every(isPlaceValue)) throw changedCursor()
  return value
}

const isPlaceValue = (value: unknown): boolean =>
  value === null || typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))
