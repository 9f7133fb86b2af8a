import { toInstant } from '../../lib/instant.ts'
import { wallTimeOf, type Zone } from '../../lib/zone.ts'

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/

/** The first instant that is stored: in zones ahead of UTC the year 1 begins before it. */
const EARLIEST_MS = wallTimeOf(1, 1, 1)

/** An instant in the one form, or a date as it was written; undefined for anything else. */
export function toMoment(text: string): string | undefined {
  if (!isDate(text)) return toInstant(text)
  return toInstant(`${text}T00:00:00Z`) === undefined ? undefined : text
}

const isDate = (text: string) => DATE.test(text)

/** A moment as an instant: a date is the beginning of its day, or of the next if the clocks skip all of it. */
export function instantOf(moment: string, zone: Zone): string {
  const [, year, month, day] = DATE.exec(moment) ?? []
  if (day === undefined) return moment
  const midnight = wallTimeOf(Number(year), Number(month), Number(day))
  return new Date(Math.max(zone.startOfDay(midnight), EARLIEST_MS)).toISOString()
}

/** The date that the calendars of a zone show at an instant. */
export const dateIn = (zone: Zone, instantMs: number): string =>
  new Date(zone.wallTime(instantMs)).toISOString().slice(0, 10)
