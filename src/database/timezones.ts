import { DAY_MS } from '../lib/duration.ts'
import { isoOf } from '../lib/instant.ts'
import { Zone } from '../lib/zone.ts'

/** The name as Intl spells it; undefined if there is no such zone. Intl ignores case and resolves links. */
export function zoneOf(name: string): string | undefined {
  // Zone names contain no other characters, and Intl may normalise some of them.
  if (!/^[A-Za-z][\w/+-]*$/.test(name)) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** Whether to add a name to the database's list, which is as old as its schema. Links are left out: Intl does not spell them. */
export const isZone = (name: unknown): name is string => typeof name === 'string' && zoneOf(name) === name

export const LEARN_TIMEZONE = 'INSERT INTO timezones (name) VALUES (?) ON CONFLICT (name) DO NOTHING'

export const UTC = new Zone('UTC')
/** Creating a zone costs far more than using it. */
const zones = new Map<string, Zone>()

/** Treats an unknown zone as UTC, as the database does, so that daily counts are not lost. */
export function zoneNamed(name: string): Zone {
  let zone = zones.get(name)
  if (zone === undefined) {
    zone = zoneOf(name) === undefined ? UTC : new Zone(name)
    zones.set(name, zone)
  }
  return zone
}

const dateOf = (wallMs: number): string => isoOf(wallMs).slice(0, 10)

/** `2026-11-15`, in UTC if there is no timezone. */
export const dayIn = (timezone: string | null, ms: number): string => dateOf(zoneNamed(timezone ?? 'UTC').wallTime(ms))

export const startOfDayIn = (timezone: string | null, day: string): number | undefined => startAfter(0, timezone, day)

export const endOfDayIn = (timezone: string | null, day: string): number | undefined =>
  startAfter(DAY_MS, timezone, day)

function startAfter(afterMs: number, timezone: string | null, day: string): number | undefined {
  const midnight = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00.000Z`) : Number.NaN
  // Date accepts 31 April, and turns it into 1 May.
  if (Number.isNaN(midnight) || dateOf(midnight) !== day) return undefined
  return zoneNamed(timezone ?? 'UTC').startOfDay(midnight + afterMs)
}

/** A moment, and the timezone in which its day and other times are read. */
export interface LocalTime {
  nowMs: number
  timezone: string
}

/** Oldest first, today last. */
export function lastDays({ nowMs, timezone }: LocalTime, count: number): string[] {
  const today = zoneNamed(timezone).wallTime(nowMs)
  return Array.from({ length: count }, (_, i) => dateOf(today - (count - 1 - i) * DAY_MS))
}
