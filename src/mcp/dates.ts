import { DAY_MS } from '../lib/duration.ts'
import { isDate, isoOf, toInstant } from '../lib/instant.ts'
import { localDate, startOfDate } from '../lib/local-dates.ts'
import { wallTimeOf, type Zone } from '../lib/zone.ts'
import type { DaysWord } from '../resources/list-arguments.ts'

/** The first instant that is stored: in zones ahead of UTC the year 1 begins before it. */
const EARLIEST_MS = wallTimeOf(1, 1, 1)

/** Returns an instant in canonical form, or a date as it was written. */
export const toMoment = (text: string): string | undefined => (isDate(text) ? text : toInstant(text))

/** A date means the beginning of its day, or of the next if the clocks skip all of it. */
export function resolveDate(moment: string, zone: Zone): string {
  const start = startOfDate(zone, moment)
  return start === undefined ? moment : isoOf(Math.max(start, EARLIEST_MS))
}

/** For many instants on few days: formatting a date takes longest. */
export function datesIn(zone: Zone): (instant: string) => string {
  const dates = new Map<number, string>()
  return (instant) => {
    const instantMs = Date.parse(instant)
    const day = Math.floor(zone.wallTime(instantMs) / DAY_MS)
    const date = dates.get(day) ?? localDate(zone, instantMs)
    dates.set(day, date)
    return date
  }
}

/** From the first instant to before the second, in milliseconds; null if it is open on that side. */
type DateRange = readonly [from: number | null, to: number | null]

/** What words such as `today` mean at this moment. */
export function dateRangeOf(word: Exclude<DaysWord, 'none'>, zone: Zone, now: number): DateRange {
  const today = Math.floor(zone.wallTime(now) / DAY_MS)
  const start = (day: number) => zone.startOfDay(day * DAY_MS)
  // 1 January 1970 was a Thursday, three days after a Monday.
  const monday = today - ((((today + 3) % 7) + 7) % 7)
  const ranges: Record<typeof word, DateRange> = {
    overdue: [null, now],
    today: [start(today), start(today + 1)],
    tomorrow: [start(today + 1), start(today + 2)],
    this_week: [start(monday), start(monday + 7)],
    next_7_days: [now, start(today + 7)],
  }
  return ranges[word]
}

export const endOfToday = (zone: Zone, now: number): number => dateRangeOf('today', zone, now)[1] as number
