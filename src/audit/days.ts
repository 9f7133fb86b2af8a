import { toInstant } from '../lib/instant.ts'
import { Zone } from '../lib/zone.ts'

const DAY_MS = 86_400_000
/** Earlier there was no log, and what is later has no place in a calendar of four digits. */
const [FIRST_DAY, LAST_DAY] = ['1970-01-02', '9998-12-31']

/** Whether it is a day, as YYYY-MM-DD, that the log can be asked for. */
export const isLogDay = (day: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(day) && day >= FIRST_DAY && day <= LAST_DAY && toInstant(`${day}T00:00:00Z`) !== undefined

/** The instant at which a day begins where the clocks show this timezone. */
export const startOf = (day: string, timezone: string): string => instantOf(Date.parse(day), timezone)

/** The instant at which the next day begins. */
export const endOf = (day: string, timezone: string): string => instantOf(Date.parse(day) + DAY_MS, timezone)

const instantOf = (midnightMs: number, timezone: string): string =>
  new Date(new Zone(timezone).startOfDay(midnightMs)).toISOString()
