import { toInstant } from '../lib/instant.ts'
import type { Zone } from '../lib/zone.ts'
import type { Filters, PageRequest, Position, ReadScope } from '../lists/query.ts'
import { alwaysIncluded, type ListResource } from '../resources/define.ts'
import type { Days, DaysWord } from '../resources/list-arguments.ts'
import { argumentsOf, type NormalisedArguments } from './arguments.ts'
import { type CursorScope, changedCursor, decodeCursor, encodeCursor } from './cursor.ts'
import { type DateRange, dateRangeOf, resolveDate } from './dates.ts'
import { InvalidArgumentsError } from './invalid-arguments.ts'

/** A page of a list that a call asks for, and the cursor of the next one. */
export interface PageQuery {
  request: PageRequest
  cursorAt(next: Position | undefined): string | null
}

/** Turns dates and words such as `today` into instants. Throws an InvalidArgumentsError. */
export function createPageQueryBuilder(resource: ListResource) {
  const { tool } = resource
  const { list } = resource
  const { days, ranges = [] } = tool
  const moments = argumentsOf(resource)
    .filter(({ isMoment = false }) => isMoment)
    .map(({ name }) => name)
  return ({ workspaceId, now, only }: ReadScope, args: NormalisedArguments, zone: Zone): PageQuery => {
    const { limit = list.limit, cursor, fields, countBy: _, ...given } = args
    const filters = { ...given } as Record<string, Filters[string]>
    for (const name of moments) if (name in filters) filters[name] = resolveDate(String(filters[name]), zone)
    // Uses instants, because the same dates select another list in another timezone.
    const scope: CursorScope = [workspaceId, tool.name, { ...filters }, ...(only === null ? [] : [only])]
    const values = cursor === undefined ? undefined : decodeCursor(scope, cursor as string)
    for (const [from, before] of ranges) checkOrder(filters, from, before)
    const { range, followsDue } = resolveDays(filters, days, values, zone, now)
    const request: PageRequest = {
      filters,
      limit: limit as number,
      ...(values !== undefined && { after: values.slice(range.length) }),
      ...(fields !== undefined && { fields: [...alwaysIncluded(list), ...(fields as readonly string[])] }),
      withTotal: true,
      ...(followsDue && { followsDue }),
    }
    const cursorAt: PageQuery['cursorAt'] = (next) =>
      next === undefined ? null : encodeCursor(scope, [...range, ...next])
    return { request, cursorAt }
  }
}

/** Replaces a word for days by its bounds. Later pages keep the first page's bounds, which their cursor begins with. */
function resolveDays(
  filters: Record<string, Filters[string]>,
  days: Days | undefined,
  values: Position | undefined,
  zone: Zone,
  now: number,
): { range: DateRange | []; followsDue: boolean } {
  if (days === undefined) return { range: [], followsDue: false }
  const { argument, from, to, none } = days
  const word = filters[argument] as DaysWord | undefined
  delete filters[argument]
  if (word === 'none') filters[none] = true
  if (word === undefined || word === 'none') return { range: [], followsDue: false }
  const range = values === undefined ? dateRangeOf(word, zone, now) : ([values[0], values[1]] as DateRange)
  if (range[0] !== null) filters[from] = instantAt(range[0])
  if (range[1] !== null) filters[to] = instantAt(range[1])
  return { range, followsDue: values === undefined && (word === 'overdue' || word === 'next_7_days') }
}

/** A forged cursor can have valid checksums and any number. */
function instantAt(ms: unknown): string {
  const date = new Date(ms as number)
  const instant = typeof ms !== 'number' || Number.isNaN(date.getTime()) ? undefined : toInstant(date.toISOString())
  if (instant === undefined) throw changedCursor()
  return instant
}

function checkOrder(filters: Filters, from: string, before: string): void {
  const [first, last] = [filters[from], filters[before]]
  if (first !== undefined && last !== undefined && first >= last)
    throw new InvalidArgumentsError([{ argument: from, fix: `must be earlier than ${before}`, isMoment: true }])
}
