import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/duration.ts'
import { formatCount } from '../../lib/format-count.ts'
import type { LocalTime } from '../../lib/local-dates.ts'
import { type Html, html } from '../html.ts'

const RELATIVE_DAYS = 31

const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** Creating a format costs far more than using it, and timezones are few. */
const formats = new Map<string, Intl.DateTimeFormat>()

/** A short time shows minutes, a medium one also seconds. */
function format(at: string | number, timeZone: string, timeStyle?: 'short' | 'medium'): string {
  const name = `${timeZone} ${timeStyle}`
  const options = { dateStyle: 'medium', timeZone, ...(timeStyle !== undefined && { timeStyle }) } as const
  const formatter = formats.get(name) ?? new Intl.DateTimeFormat('en-GB', options)
  formats.set(name, formatter)
  return formatter.format(new Date(at))
}

export const dateText = (at: string | number, { timezone }: Pick<LocalTime, 'timezone'>): string => format(at, timezone)

export function relativeText(at: string, time: LocalTime): string {
  const distance = Date.parse(at) - time.nowMs
  const size = Math.abs(distance)
  const whole = (unit: number) => Math.round(size / unit)
  const inWords = (count: number, unit: 'minute' | 'hour' | 'day') =>
    relativeFormat.format(distance < 0 ? -count : count, unit)
  if (size < MINUTE_MS) return distance <= 0 ? 'just now' : 'in a minute'
  if (whole(MINUTE_MS) < 60) return inWords(whole(MINUTE_MS), 'minute')
  if (whole(HOUR_MS) < 24) return inWords(whole(HOUR_MS), 'hour')
  if (whole(DAY_MS) <= RELATIVE_DAYS) return inWords(whole(DAY_MS), 'day')
  return dateText(at, time)
}

/** Follows "every": "5 minutes", "hour", "90 seconds". */
export function intervalText(seconds: number): string {
  const ms = seconds * 1000
  const units = { day: DAY_MS, hour: HOUR_MS, minute: MINUTE_MS }
  const [unit, size] = Object.entries(units).find(([, size]) => ms % size === 0) ?? ['second', 1000]
  return ms === size ? unit : `${formatCount(ms / size)} ${unit}s`
}

const timeElement = (at: string, time: LocalTime, text: string): Html =>
  html`<time datetime="${at}" title="${format(at, time.timezone, 'medium')}, ${time.timezone}">${text}</time>`

export const relativeTime = (at: string, time: LocalTime): Html => timeElement(at, time, relativeText(at, time))
export const dateTime = (at: string, time: LocalTime): Html => timeElement(at, time, dateText(at, time))
export const momentTime = (at: string, time: LocalTime): Html =>
  timeElement(at, time, format(at, time.timezone, 'short'))

/** To the second. */
export const exactTime = (at: string, time: LocalTime): Html =>
  timeElement(at, time, format(at, time.timezone, 'medium'))

/** If something ends at midnight, its last day is the day before. */
export const lastDay = (endsAt: string, time: LocalTime): Html =>
  timeElement(endsAt, time, dateText(Date.parse(endsAt) - 1, time))

export function timeOfEnd(endsAt: string, time: LocalTime): Html {
  const isFar = relativeText(endsAt, time) === dateText(endsAt, time)
  return isFar ? lastDay(endsAt, time) : relativeTime(endsAt, time)
}
