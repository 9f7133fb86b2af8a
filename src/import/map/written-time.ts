import { wallTimeOf, type Zone } from '../../lib/zone.ts'

/** A date or a time as a file has it. Without an hour it is a date; without an offset it is local. */
export interface WrittenTime {
  year: number
  month: number
  day: number
  hour?: number
  minute?: number
  second?: number
  millisecond?: number
  offsetMinutes?: number
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** What a day stands for: something is due by its end, and was created at its beginning. */
export type DayBound = 'start' | 'end'

/**
 * The instant, in RFC 3339. A date is the first or last second of that day in the zone; a local time is one of the zone. With
 * `isDay`, a time stands for its day. Undefined if there is no such day or hour, or it is not in the years 1 to 9999.
 */
export function instantOf(time: WrittenTime, zone: Zone, bound: DayBound, isDay: boolean): string | undefined {
  const { year, month, day, hour = 0, minute = 0, second = 0, millisecond = 0, offsetMinutes } = time
  const midnightMs = wallTimeOf(year, month, day)
  const isRealDay = year >= 1 && month >= 1 && month <= 12 && day >= 1 && new Date(midnightMs).getUTCDate() === day
  if (!isRealDay || hour > 23 || minute > 59 || second > 59) return undefined
  const wallMs = wallTimeOf(year, month, day, hour, minute, second) + millisecond
  const boundOf = (dayMs: number) => textOf(bound === 'end' ? zone.endOfDay(dayMs) : zone.startOfDay(dayMs))
  if (time.hour === undefined || (isDay && offsetMinutes === undefined)) return boundOf(midnightMs)
  if (offsetMinutes === undefined) return textOf(zone.instantOf(wallMs))
  const instantMs = wallMs - offsetMinutes * MINUTE_MS
  if (!isDay) return textOf(instantMs)
  // Midnight is how a day is written as a time; any other time is on the day that the zone's calendar shows.
  const dayMs = wallMs === midnightMs ? midnightMs : Math.floor(zone.wallTime(instantMs) / DAY_MS) * DAY_MS
  return boundOf(dayMs)
}

const FIRST_MS = wallTimeOf(1, 1, 1)
const LAST_MS = wallTimeOf(10_000, 1, 1) - 1

const textOf = (instantMs: number): string | undefined =>
  instantMs >= FIRST_MS && instantMs <= LAST_MS ? new Date(instantMs).toISOString() : undefined
