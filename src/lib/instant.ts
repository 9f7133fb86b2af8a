const RFC_3339 = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:)(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/

/** Returns UTC to the millisecond, the only stored form. Undefined if invalid, or outside the years 1 to 9999. */
export function toInstant(text: string): string | undefined {
  const match = RFC_3339.exec(text)
  if (match === null) return undefined
  const [, day, upToMinute, second, fraction = '', sign, offsetHours = '00', offsetMinutes = '00'] = match
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return undefined
  const isLeapSecond = second === '60'
  const wallClock = `${day}T${upToMinute}${isLeapSecond ? '59' : second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
  const date = new Date(wallClock)
  // Date rolls February 30 over into March, and 24:00 into the next day. What it does not understand has no day.
  if (date.getUTCDate() !== Number(day?.slice(-2))) return undefined
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000 * (sign === '-' ? -1 : 1)
  if (offsetMs !== 0) date.setTime(date.getTime() - offsetMs)
  if (isLeapSecond) {
    // A leap second is the last second of a day in UTC, and is stored as the beginning of the next day.
    if (!date.toISOString().includes('23:59:59.')) return undefined
    date.setTime(date.getTime() + 1000)
  }
  return withinYears(offsetMs === 0 && !isLeapSecond ? wallClock : date.toISOString())
}

const withinYears = (instant: string) => (/^(?!0000)\d{4}-/.test(instant) ? instant : undefined)

/** The latest instant that can be stored, in milliseconds. */
export const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** YYYY-MM-DD, in the years 1 to 9999. */
export const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && toInstant(`${text}T00:00:00Z`) !== undefined

/** The stored form of a time in milliseconds. */
export const isoOf = (ms: number): string => new Date(ms).toISOString()
