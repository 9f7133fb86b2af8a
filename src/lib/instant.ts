const RFC_3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/
const MINUTES_A_DAY = 1440
const DAY_MS = 86_400_000
const ZERO = 0x30
const MINUS = 0x2d

/**
 * Converts an RFC 3339 date-time to the one form that Vitrine stores, compares and answers: UTC, to the millisecond (finer
 * digits are cut off). Undefined if the text is not one, or no such day or hour exists.
 *
 * Large imports spend much of their time here. So digits are copied where possible, and Date, which is many times slower, is
 * used only for the day before or after.
 */
export function toInstant(text: string): string | undefined {
  if (!RFC_3339.test(text)) return undefined
  const isUtc = text.endsWith('Z') || text.endsWith('z')
  const zoneAt = text.length - (isUtc ? 1 : '+00:00'.length)
  const isLeapSecond = twoDigits(text, 17) === 60
  if (!isRealDay(text) || !isTimeOfDay(text, 11) || (twoDigits(text, 17) > 59 && !isLeapSecond)) return undefined
  if (!isUtc && !isTimeOfDay(text, zoneAt + 1)) return undefined

  let minutes = minutesAt(text, 11) - (isUtc ? 0 : offsetMinutesAt(text, zoneAt))
  // A leap second is the last second of a day in UTC, and is stored as the beginning of the next day.
  if (isLeapSecond && ++minutes % MINUTES_A_DAY !== 0) return undefined
  const day = dayAfter(text.slice(0, 10), Math.floor(minutes / MINUTES_A_DAY))
  if (day === undefined) return undefined
  const time = minutes === minutesAt(text, 11) ? text.slice(11, 16) : clockTime(minutes)
  const milliseconds = text.slice(20, Math.min(zoneAt, 23)).padEnd(3, '0')
  return `${day}T${time}:${isLeapSecond ? '00' : text.slice(17, 19)}.${milliseconds}Z`
}

/** From character codes: slicing the digits out first would take longer than all the rest. */
const twoDigits = (text: string, at: number): number =>
  (text.charCodeAt(at) - ZERO) * 10 + text.charCodeAt(at + 1) - ZERO

const isTimeOfDay = (text: string, at: number): boolean => twoDigits(text, at) < 24 && twoDigits(text, at + 3) < 60

const minutesAt = (text: string, at: number): number => twoDigits(text, at) * 60 + twoDigits(text, at + 3)

const offsetMinutesAt = (text: string, at: number): number =>
  text.charCodeAt(at) === MINUS ? -minutesAt(text, at + 1) : minutesAt(text, at + 1)

function isRealDay(text: string): boolean {
  const month = twoDigits(text, 5)
  const day = twoDigits(text, 8)
  return month >= 1 && month <= 12 && day >= 1 && (day <= 28 || day <= daysIn(text, month))
}

function daysIn(text: string, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
  const century = twoDigits(text, 0)
  const yearOfCentury = twoDigits(text, 2)
  return (yearOfCentury === 0 ? century : yearOfCentury) % 4 === 0 ? 29 : 28
}

/** Undefined if that day is not in the years 1 to 9999. */
function dayAfter(day: string, days: number): string | undefined {
  const result = days === 0 ? day : new Date(Date.parse(day) + days * DAY_MS).toISOString().split('T', 1)[0]
  return result?.length === day.length && !result.startsWith('0000') ? result : undefined
}

function clockTime(minutes: number): string {
  const ofDay = (minutes + MINUTES_A_DAY) % MINUTES_A_DAY
  return `${String(Math.floor(ofDay / 60)).padStart(2, '0')}:${String(ofDay % 60).padStart(2, '0')}`
}
