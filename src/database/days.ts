import { Zone } from '../lib/zone.ts'

const DAY_MS = 86_400_000

/** The names of timezones are few, and creating a zone costs far more than using it. */
const zones = new Map<string, Zone>()

/** A zone that this runtime does not know is taken as UTC, as the database does: no reason to lose what is counted by days. */
function zoneNamed(name: string): Zone {
  const known = zones.get(name)
  if (known !== undefined) return known
  let zone: Zone
  try {
    zone = new Zone(name)
  } catch {
    zone = new Zone('UTC')
  }
  zones.set(name, zone)
  return zone
}

const dateOf = (wallMs: number): string => new Date(wallMs).toISOString().slice(0, 10)

/** The date of an instant in a timezone, which is UTC if there is none: `2026-11-15`. */
export const dayIn = (timezone: string | null, ms: number): string => dateOf(zoneNamed(timezone ?? 'UTC').wallTime(ms))

/** The moment at which a date begins in a timezone; undefined if there is no such date. */
export const startOfDayIn = (timezone: string | null, day: string): number | undefined => startAfter(0, timezone, day)

/** The moment at which it ends. */
export const endOfDayIn = (timezone: string | null, day: string): number | undefined =>
  startAfter(DAY_MS, timezone, day)

function startAfter(afterMs: number, timezone: string | null, day: string): number | undefined {
  const midnight = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00.000Z`) : Number.NaN
  // Date accepts 31 April, as the first of May.
  if (Number.isNaN(midnight) || dateOf(midnight) !== day) return undefined
  return zoneNamed(timezone ?? 'UTC').startOfDay(midnight + afterMs)
}

/** The last days, oldest first, today last. */
export function lastDaysIn(timezone: string | null, nowMs: number, count: number): string[] {
  const today = zoneNamed(timezone ?? 'UTC').wallTime(nowMs)
  return Array.from({ length: count }, (_, i) => dateOf(today - (count - 1 - i) * DAY_MS))
}
