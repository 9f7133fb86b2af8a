import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/duration.ts'
import { formatCount } from '../../lib/format-count.ts'
import { isoOf } from '../../lib/instant.ts'
import { type LocalTime, localDate, zoneNamed } from '../../lib/local-dates.ts'
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

function relativeText(at: string, time: LocalTime): string {
  const distance = Date.parse(at) - time.nowMs
  const size = Math.abs(distance)
  const whole = (unit: number) => Math.round(size / unit)
  const inWords = (count: number, unit: 'minute' | 'hour') => relativeFormat.format(distance < 0 ? -count : count, unit)
  if (size < MINUTE_MS) return distance <= 0 ? 'just now' : 'in a minute'
  if (whole(MINUTE_MS) < 60) return inWords(whole(MINUTE_MS), 'minute')
  if (whole(HOUR_MS) < 24) return inWords(whole(HOUR_MS), 'hour')
  // "Yesterday" is a date, whatever the time of day.
  const dateOf = (ms: number) => Date.parse(localDate(zoneNamed(time.timezone), ms))
  const days = (dateOf(Date.parse(at)) - dateOf(time.nowMs)) / DAY_MS
  return Math.abs(days) <= RELATIVE_DAYS ? relativeFormat.format(days, 'day') : dateText(at, time)
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

/** Under its date. */
export const clockTime = (at: string, time: LocalTime): Html =>
  timeElement(at, time, format(at, time.timezone, 'medium').replace(/^.*, /, ''))

/** To the second. */
export const exactTime = (at: string, time: LocalTime): Html =>
  timeElement(at, time, format(at, time.timezone, 'medium'))

/** If something ends at midnight, its last day is the day before. */
const lastMoment = (endsAt: string): string => isoOf(Date.parse(endsAt) - 1)

export const lastDay = (endsAt: string, time: LocalTime): Html =>
  timeElement(endsAt, time, dateText(lastMoment(endsAt), time))
export const timeOfEnd = (endsAt: string, time: LocalTime): Html =>
  timeElement(endsAt, time, relativeText(lastMoment(endsAt), time))
