import { type Html, html } from '../../lib/html.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const momentFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
const relativeFormat = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

export const dateText = (at: string | number): string => dateFormat.format(new Date(at))
const momentText = (at: string): string => `${momentFormat.format(new Date(at))} UTC`

/** "2 hours ago", "in 3 days"; further away than a month, the date. */
export function relativeText(at: string, now: string): string {
  const distance = Date.parse(at) - Date.parse(now)
  const size = Math.abs(distance)
  if (size < MINUTE) return distance <= 0 ? 'just now' : 'in a minute'
  if (size < HOUR) return relativeFormat.format(Math.trunc(distance / MINUTE), 'minute')
  if (size < DAY) return relativeFormat.format(Math.trunc(distance / HOUR), 'hour')
  if (size < 31 * DAY) return relativeFormat.format(Math.trunc(distance / DAY), 'day')
  return dateText(at)
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
  return ms === size ? unit : `${(ms / size).toLocaleString('en')} ${unit}s`
}

/** Times are sent in UTC; the script rewrites `data-show` times into the reader's own zone and language. */
export function relativeTime(at: string, now: string): Html {
  const text = relativeText(at, now)
  if (text === dateText(at)) return dateTime(at)
  return html`<time datetime="${at}" title="${momentText(at)}">${text}</time>`
}
export const dateTime = (at: string): Html =>
  html`<time datetime="${at}" title="${momentText(at)}" data-show="date">${dateText(at)}</time>`
export const momentTime = (at: string): Html => html`<time datetime="${at}" data-show="moment">${momentText(at)}</time>`
