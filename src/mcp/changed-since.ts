import { isoOf } from '../lib/instant.ts'
import type { Zone } from '../lib/zone.ts'
import { momentBefore } from '../lists/changes.ts'
import type { Moment } from '../lists/query.ts'
import { dateRangeOf, resolveDate, toMoment } from './dates.ts'
import { decodeEtag, type EtagScope } from './etag.ts'
import { InvalidArgumentsError } from './invalid-arguments.ts'

const ETAG = /^[\w-]{24,32}$/
const TODAY = 'today'

/** What an argument looks like; undefined if it cannot be one. */
export const toSince = (text: string): string | undefined => (text === TODAY || ETAG.test(text) ? text : toMoment(text))

export const NOT_SINCE =
  'must be an etag of this list, exactly as it was returned, or an instant, a date or today; leave it out to read the whole list'

const invalidSince = (fix: string) => new InvalidArgumentsError([{ argument: 'changedSince', fix, isMoment: true }])

/** If nothing is known, such as in an archived workspace, only the whole list can be read. */
export const unknownSince = (fromMs?: number) =>
  invalidSince(
    `is older than the recorded changes; ${fromMs === undefined ? '' : `ask from ${isoOf(fromMs)} on, or `}leave it out to read the whole list`,
  )

/** After which moment changes are read, and the time that this stands for, in milliseconds. */
export interface Since {
  moment: Moment
  ms: number
}

/** Throws an InvalidArgumentsError. */
export function sinceOf(given: string, scope: EtagScope, zone: Zone, latest: Moment): Since {
  if (ETAG.test(given)) {
    const moment = decodeEtag(scope, given)
    // A later revision was lost with its database: what changed since then cannot be told.
    if (moment === undefined || moment.revision > latest.revision) throw invalidSince(NOT_SINCE)
    return { moment, ms: moment.ms }
  }
  const ms = given === TODAY ? Number(dateRangeOf('today', zone, latest.ms)[0]) : Date.parse(resolveDate(given, zone))
  if (ms > latest.ms) throw invalidSince('must not be later than now')
  return { moment: momentBefore(ms), ms }
}
