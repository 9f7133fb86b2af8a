import { isoOf } from '../lib/instant.ts'
import { endOfDate, startOfDate, UTC, zoneNamed } from '../lib/local-dates.ts'

/** No log is older, and later years do not fit into four digits. */
const [FIRST_DAY, LAST_DAY] = ['1970-01-02', '9998-12-31']

export const isLogDay = (day: string): boolean =>
  day >= FIRST_DAY && day <= LAST_DAY && startOfDate(UTC, day) !== undefined

export const startOfLogDay = (day: string, timezone: string): string =>
  isoOf(startOfDate(zoneNamed(timezone), day) ?? Number.NaN)

export const endOfLogDay = (day: string, timezone: string): string =>
  isoOf(endOfDate(zoneNamed(timezone), day) ?? Number.NaN)
