import { DAY_MS } from './duration.ts'
import { isDate, isoOf, LAST_MS } from './instant.ts'
import { Zone } from './zone.ts'

/** The name as Intl spells it; undefined if there is no such zone. Intl ignores case and resolves links. */
export function canonicalZoneName(name: string): string | undefined {
  // Zone names contain no other characters, and Intl may normalise some of them.
  if (!/^[A-Za-z][\w/+-]*$/.test(name)) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

export const UTC = new Zone('UTC')
/** Creating a zone costs far more than using it. */
const zones = new Map<string, Zone>()

/** Returns UTC if the name is null or unknown, as the database does, so that daily counts are not lost. */
export function zoneNamed(name: string | null): Zone {
  if (name === null) return UTC
  let zone = zones.get(name)
  if (zone === undefined) {
    zone = canonicalZoneName(name) === undefined ? UTC : new Zone(name)
    zones.set(name, zone)
  }
  return zone
}

/** Not its first ten characters: a date in the year 10000, where 9999-12-31 has ended, is longer. */
const dateOf = (wallMs: number): string => isoOf(wallMs).slice(0, -'T00:00:00.000Z'.length)

/** Such as `2026-11-15`. */
export const localDate = (zone: Zone, instantMs: number): string => dateOf(zone.wallTime(instantMs))

/** If something ends at midnight, its last date is the day before. */
export const lastDateBefore = (zone: Zone, endMs: number): string => localDate(zone, endMs - 1)

/** The first instant of the date; undefined if it is not a date. */
export const startOfDate = (zone: Zone, date: string): number | undefined => startAfter(0, zone, date)

/** The first instant of the next date, or the last one that can be stored. */
export const endOfDate = (zone: Zone, date: string): number | undefined => startAfter(DAY_MS, zone, date)

function startAfter(afterMs: number, zone: Zone, date: string): number | undefined {
  if (!isDate(date)) return undefined
  return Math.min(zone.startOfDay(Date.parse(`${date}T00:00:00.000Z`) + afterMs), LAST_MS)
}

/** A moment, and the timezone in which its date and other times are read. */
export interface LocalTime {
  nowMs: number
  timezone: string
}

/** Oldest first, today last. */
export function lastDates({ nowMs, timezone }: LocalTime, count: number): string[] {
  const today = zoneNamed(timezone).wallTime(nowMs)
  return Array.from({ length: count }, (_, i) => dateOf(today - (count - 1 - i) * DAY_MS))
}
