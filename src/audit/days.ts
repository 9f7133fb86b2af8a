import { endOfDayIn, startOfDayIn } from '../database/timezones.ts'

/** Earlier there was no log, and what is later has no place in a calendar of four digits. */
const [FIRST_DAY, LAST_DAY] = ['1970-01-02', '9998-12-31']

/** Whether it is a day, as YYYY-MM-DD, that the log can be asked for. */
export const isLogDay = (day: string): boolean =>
  day >= FIRST_DAY && day <= LAST_DAY && startOfDayIn('UTC', day) !== undefined

/** The instant at which a day of the log begins where the clocks show this timezone. */
export const startOf = (day: string, timezone: string): string =>
  new Date(startOfDayIn(timezone, day) ?? Number.NaN).toISOString()

/** The instant at which the next day begins. */
export const endOf = (day: string, timezone: string): string =>
  new Date(endOfDayIn(timezone, day) ?? Number.NaN).toISOString()
