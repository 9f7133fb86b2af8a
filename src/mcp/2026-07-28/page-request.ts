import { hash } from 'node:crypto'
import type { PageRequest, Position } from '../../database/queries.ts'
import type { Zone } from '../../lib/zone.ts'
import type { ListShape } from '../../resources/pages.ts'
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
      ...(cursor !== undefined && { after: positionOf(scope, cursor as string) }),
      ...(fields !== undefined && { fields: fields as readonly string[] }),
      findNext: true,
    }
    return { request, scope }
  }
}

function positionOf(scope: CursorScope, cursor: string): Position {
  const position = decodeCursor(scope, cursor)
  if (position === 'changed') throw changedCursor()
  if (position === 'of another question')
    throw invalidCursor(
      'belongs to a call with other filters: repeat those together with it, or leave it out to begin again.',
    )
  return position
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

/** The position; or what is wrong: the text is not a cursor, or one of another list. */
export function decodeCursor(scope: CursorScope, text: string): Position | 'changed' | 'of another question' {
  const bytes = Buffer.from(text, 'base64url')
  // Node skips what is not base64url; only what was written as an encoder writes it comes back the same.
  if (bytes.toString('base64url') !== text) return 'changed'
  const [of, place] = [bytes.subarray(0, CHECKSUM_BYTES), bytes.subarray(POSITION_AT)]
  if (!bytes.subarray(CHECKSUM_BYTES, POSITION_AT).equals(checksum(Buffer.concat([of, place])))) return 'changed'
  if (!of.equals(checksum(JSON.stringify(scope)))) return 'of another question'
  return parsed(place) ?? 'changed'
}

/** Undefined if it is not a position: a checksum can be forged. */
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
