import type { PageRequest, Position } from '../../database/queries.ts'
import type { Zone } from '../../lib/zone.ts'
import type { ListShape } from '../../resources/pages.ts'
import type { Argument } from './argument.ts'
import type { NormalisedArguments } from './arguments.ts'
import { type CursorScope, decodeCursor } from './cursor.ts'
import { instantOf } from './dates.ts'
import { InvalidArgumentsError } from './tool-error.ts'

/** What to read, and what a cursor of the response belongs to. */
interface ScopedRequest {
  request: PageRequest
  scope: CursorScope
}

/** Turns the arguments of a list's tool into what is read of the list. Throws an InvalidArgumentsError for a cursor that is none. */
export function pageRequests(tool: string, list: ListShape, args: readonly Argument[]) {
  const moments = args.filter(({ isMoment = false }) => isMoment).map(({ name }) => name)
  const inZone = (filters: PageRequest['filters'], zone: Zone): PageRequest['filters'] => {
    const instants: Record<string, string> = {}
    for (const name of moments) if (filters[name] !== undefined) instants[name] = instantOf(String(filters[name]), zone)
    return { ...filters, ...instants }
  }
  return (workspaceId: string, question: NormalisedArguments, zone: Zone): ScopedRequest => {
    const { limit = list.limit, cursor, fields, ...given } = question
    const filters = inZone(given as PageRequest['filters'], zone)
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
