import { formatCount } from '../../lib/format-count.ts'
import { type Html, html } from '../../lib/html.ts'

/** The time that "2 hours ago" is relative to, and the timezone that days and times are shown in. */
export interface Clock {
  now: string
  /** An IANA name. */
  timezone: string
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Further away, the date says more. */
const RELATIVE_DAYS = 31

const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

interface Formats {
  date: Intl.DateTimeFormat
  moment: Intl.DateTimeFormat
  second: Intl.DateTimeFormat
}

/** Creating a format costs far more than using it. The names of timezones are few. */
const formats = new Map<string, Formats>()

function formatsOf(timeZone: string): Formats {
  const known = formats.get(timeZone)
  if (known !== undefined) return known
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone, ...options })
  const created = {
    date: format({}),
    moment: format({ timeStyle: 'short' }),
    second: format({ timeStyle: 'medium' }),
  }
  formats.set(timeZone, created)
  return created
}

export const dateText = (at: string | number, { timezone }: Pick<Clock, 'timezone'>): string =>
  formatsOf(timezone).date.format(new Date(at))

const momentText = (at: string, { timezone }: Clock): string => formatsOf(timezone).moment.format(new Date(at))

/** For hovering. */
const secondText = (at: string, { timezone }: Clock): string =>
  `${formatsOf(timezone).second.format(new Date(at))}, ${timezone}`

/** "2 hours ago", "in 3 days"; further away than a month, the date. */
export function relativeText(at: string, clock: Clock): string {
  const distance = Date.parse(at) - Date.parse(clock.now)
  const size = Math.abs(distance)
  const whole = (unit: number) => Math.round(size / unit)
  const format = (count: number, unit: 'minute' | 'hour' | 'day') =>
    relativeFormat.format(distance < 0 ? -count : count, unit)
  if (size < MINUTE) return distance <= 0 ? 'just now' : 'in a minute'
  if (whole(MINUTE) < 60) return format(whole(MINUTE), 'minute')
  if (whole(HOUR) < 24) return format(whole(HOUR), 'hour')
  if (whole(DAY) <= RELATIVE_DAYS) return format(whole(DAY), 'day')
  return dateText(at, clock)
}

/** After "every": "5 minutes", "hour", "90 seconds"; in the largest unit that it is a whole number of. */
export function intervalText(seconds: number): string {
  const ms = seconds * 1000
  const [size, unit] = (
    [
      [DAY, 'day'],
      [HOUR, 'hour'],
      [MINUTE, 'minute'],
    ] as const
  ).find(([size]) => ms % size === 0) ?? [1000, 'second']
  return ms === size ? unit : `${formatCount(ms / size)} ${unit}s`
}

const time = (at: string, clock: Clock, text: string): Html =>
  html`<time datetime="${at}" title="${secondText(at, clock)}">${text}</time>`

export const relativeTime = (at: string, clock: Clock): Html => time(at, clock, relativeText(at, clock))
export const dateTime = (at: string, clock: Clock): Html => time(at, clock, dateText(at, clock))
export const momentTime = (at: string, clock: Clock): Html => time(at, clock, momentText(at, clock))

/** The last day of something that ends at an instant: what ends at midnight lasts until the day before. */
export const lastDay = (endsAt: string, clock: Clock): Html =>
  time(endsAt, clock, dateText(Date.parse(endsAt) - 1, clock))

/** The same, relative to now while the end is near. */
export function timeOfEnd(endsAt: string, clock: Clock): Html {
  const isFar = relativeText(endsAt, clock) === dateText(endsAt, clock)
  return isFar ? lastDay(endsAt, clock) : relativeTime(endsAt, clock)
}
