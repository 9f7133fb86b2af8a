import { hash } from 'node:crypto'
import type { PageRequest, Position } from '../../database/queries.ts'
import type { Zone } from '../../lib/zone.ts'
import type { ListShape } from '../../resources/list.ts'
import type { Argument, NormalisedArguments } from './arguments.ts'
import { instantOf } from './clock.ts'
import { InvalidArgumentsError } from './errors.ts'

/** What to read, and what a cursor of the response belongs to. */
interface ScopedRequest {
  request: PageRequest
  scope: CursorScope
}

/** Turns the arguments of a list's tool into a request for a page. Throws an InvalidArgumentsError for an invalid cursor. */
export function pageRequests(tool: string, list: ListShape, args: readonly Argument[]) {
  const moments = args.filter(({ isMoment = false }) => isMoment).map(({ name }) => name)
  return (workspaceId: string, question: NormalisedArguments, zone: Zone): ScopedRequest => {
    const { limit = list.limit, cursor, fields, ...given } = question
    const filters = { ...given } as Record<string, string | number>
    for (const name of moments) if (name in filters) filters[name] = instantOf(String(filters[name]), zone)
    // Of the instants, not of the dates: in another timezone the same dates narrow to another list.
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

/**
 * A cursor is a place in a list, as a text that a client sends back: the checksum of the question that the list answers, a
 * checksum over all of it, and the position of the last row seen. Neither is a secret: a forged one reads its own workspace.
 */
const CHECKSUM_BYTES = 6
const POSITION_AT = 2 * CHECKSUM_BYTES

/** The workspace, the tool and the filters. The size of a page and the fields may change from page to page. */
export type CursorScope = readonly [workspaceId: string, tool: string, filters: object]

const checksum = (bytes: Buffer | string): Buffer => hash('sha256', bytes, 'buffer').subarray(0, CHECKSUM_BYTES)

export function encodeCursor(scope: CursorScope, position: Position): string {
  const [of, place] = [checksum(JSON.stringify(scope)), Buffer.from(JSON.stringify(position))]
  return Buffer.concat([of, checksum(Buffer.concat([of, place])), place]).toString('base64url')
}

/** The position. Throws an InvalidArgumentsError for a text that is not a cursor, or one of another list. */
export function decodeCursor(scope: CursorScope, text: string): Position {
  const bytes = Buffer.from(text, 'base64url')
  // Node skips what is not base64url; only what was written as an encoder writes it comes back the same.
  if (bytes.toString('base64url') !== text) throw changedCursor()
  const [of, place] = [bytes.subarray(0, CHECKSUM_BYTES), bytes.subarray(POSITION_AT)]
  if (!bytes.subarray(CHECKSUM_BYTES, POSITION_AT).equals(checksum(Buffer.concat([of, place])))) throw changedCursor()
  if (!of.equals(checksum(JSON.stringify(scope))))
    throw invalidCursor(
      'belongs to a call with other filters: repeat those together with it, or leave it out to begin again.',
    )
  return positionIn(place)
}

/** A checksum can be forged, so what it covers need not be a position. */
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
