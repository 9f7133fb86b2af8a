import type { Admission } from '../database/admission.ts'
import { toInstant } from '../lib/instant.ts'
import type { Zone } from '../lib/zone.ts'
import type { Filters, Moment, PageRequest, Place } from '../lists/query.ts'
import { alwaysIncluded, type ListResource } from '../resources/define.ts'
import type { Days, DaysWord } from '../resources/list-arguments.ts'
import { argumentsOf, type NormalisedArguments } from './arguments.ts'
import { sinceOf } from './changed-since.ts'
import { type CursorScope, changedCursor, decodeCursor, encodeCursor } from './cursor.ts'
import { dateRangeOf, resolveDate } from './dates.ts'
import { etagScope } from './etag.ts'
import { InvalidArgumentsError } from './invalid-arguments.ts'
import type { WorkspaceZone } from './workspace-zone.ts'

/** A page of a list that a call asks for, and the cursor of the next one. */
export interface PageQuery {
  request: PageRequest
  /** When the first page was read, if this is a later one. */
  first: Moment | undefined
  /** From when changes are read, in milliseconds. */
  sinceMs: number | undefined
  cursorAt(next: Place | undefined, first: Moment): string | null
}

/** Turns dates and words such as `today` into instants. Throws an InvalidArgumentsError. */
export function createPageQueryBuilder(resource: ListResource) {
  const { tool } = resource
  const { list } = resource
  const { days, ranges = [] } = tool
  const moments = argumentsOf(resource)
    .filter(({ isMoment = false }) => isMoment)
    .map(({ name }) => name)
  return (scope: Admission, { timezone, zone }: WorkspaceZone, args: NormalisedArguments): PageQuery => {
    const { workspaceId, now, only } = scope
    const { limit = list.limit, cursor, fields, countBy: _, changedSince, ...given } = args
    const filters = { ...given } as Record<string, Filters[string]>
    for (const name of moments) if (name in filters) filters[name] = resolveDate(String(filters[name]), zone)
    // Uses instants, because the same dates select another list in another timezone.
    const cursors: CursorScope = [
      workspaceId,
      tool.name,
      { ...filters, changedSince },
      ...(only === null ? [] : [only]),
    ]
    const { first, after } = cursor === undefined ? {} : decodeCursor(cursors, cursor as string)
    for (const [from, before] of ranges) checkOrder(filters, from, before)
    const at = first?.ms ?? now
    const word = days && (filters[days.argument] as DaysWord | undefined)
    const followsDue = first === undefined && (word === 'overdue' || word === 'next_7_days')
    const latest = { revision: scope.revision, ms: at }
    const since =
      changedSince === undefined
        ? undefined
        : sinceOf(changedSince as string, etagScope(scope, tool.name, timezone), zone, latest)
    const request: PageRequest = {
      filters: withDays(filters, days, zone, at),
      limit: limit as number,
      ...(after !== undefined && { after }),
      ...(fields !== undefined && { fields: [...alwaysIncluded(list), ...(fields as readonly string[])] }),
      withTotal: true,
      ...(followsDue && { followsDue }),
      ...(since !== undefined && {
        changes: {
          since: since.moment,
          ...(first !== undefined && { until: first }),
          formerFilters: withDays(filters, days, zone, Math.min(since.ms, at)),
        },
      }),
    }
    const cursorAt: PageQuery['cursorAt'] = (after, moment) =>
      after === undefined ? null : encodeCursor(cursors, { first: moment, after })
    return { request, first, sinceMs: since?.ms, cursorAt }
  }
}

/** Replaces a word for days by its bounds. Later pages keep the days of the first. */
function withDays(filters: Filters, days: Days | undefined, zone: Zone, at: number): Filters {
  if (days === undefined || !(days.argument in filters)) return filters
  const { [days.argument]: word, ...others } = filters
  if (word === 'none') return { ...others, [days.none]: true }
  const [from, to] = dateRangeOf(word as Exclude<DaysWord, 'none'>, zone, at)
  return {
    ...others,
    ...(from !== null && { [days.from]: instantAt(from) }),
    ...(to !== null && { [days.to]: instantAt(to) }),
  }
}

function instantAt(ms: number): string {
  const instant = toInstant(new Date(ms).toISOString())
  if (instant === undefined) throw changedCursor()
  return instant
}

function checkOrder(filters: Filters, from: string, before: string): void {
  const [first, last] = [filters[from], filters[before]]
  if (first !== undefined && last !== undefined && first >= last)
    throw new InvalidArgumentsError([{ argument: from, fix: `must be earlier than ${before}`, isMoment: true }])
}
