import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../lib/duration.ts'
import { isoOf, LAST_MS } from '../../lib/instant.ts'
import { wallTimeOf, type Zone } from '../../lib/zone.ts'

/** Without an hour it is a date; without an offset it is local. */
interface WrittenTime {
  year: number
  month: number
  day: number
  hour?: number
  minute?: number
  second?: number
  millisecond?: number
  offsetMinutes?: number
  isAfternoon?: boolean
}

type DateParser = (text: string) => WrittenTime | undefined

/** The names are the locale's. */
type MonthStyle = 'long' | 'short'

interface Token {
  pattern: string
  take(text: string): Partial<WrittenTime>
}

const number = (name: keyof WrittenTime, pattern: string): Token => ({
  pattern,
  take: (text) => ({ [name]: Number(text) }),
})

export function isKnownLocale(locale: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(locale).length > 0
  } catch {
    return false
  }
}

const MONTHS = Array.from({ length: 12 }, (_, i) => i + 1)

/** Of each month, as on a calendar and as in a date, which differ in languages such as Polish. An abbreviation loses its point. */
function monthNames(style: MonthStyle, locale: string): string[][] {
  const alone = new Intl.DateTimeFormat(locale, { month: style, timeZone: 'UTC' })
  const inDate = new Intl.DateTimeFormat(locale, { month: style, day: 'numeric', timeZone: 'UTC' })
  return MONTHS.map((month) => {
    const ms = wallTimeOf(2026, month, 1)
    const declined = inDate.formatToParts(ms).find(({ type }) => type === 'month')?.value
    return [alone.format(ms), declined ?? ''].map((name) => name.replace(/\.$/, '').toLowerCase())
  })
}

/** Many programs abbreviate to three letters, which are accepted if only one month begins with them. */
function monthToken(style: MonthStyle, locale: string): Token {
  const names = monthNames(style, locale)
  const isUnique = (start: string) => names.filter((each) => each.some((name) => name.startsWith(start))).length === 1
  const accepted =
    style === 'long' ? names : names.map((each) => [...each, ...each.map((name) => name.slice(0, 3)).filter(isUnique)])
  return {
    pattern: `(?:${accepted.flat().map(literally).join('|')})\\.?`,
    take: (text) => {
      const name = text.replace(/\.$/, '').toLowerCase()
      return { month: accepted.findIndex((each) => each.includes(name)) + 1 }
    },
  }
}

/** It is not checked against the date. */
const WEEKDAY: Token = { pattern: '\\p{L}{1,30}', take: () => ({}) }

const OFFSET: Token = {
  pattern: 'Z|UTC|GMT|[+-](?:[01]\\d|2[0-3]):?(?:[0-5]\\d)?',
  take: (text) => {
    const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d):?(\d\d)?/.exec(text) ?? []
    return { offsetMinutes: (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) }
  },
}

const ONE_OR_TWO = '\\d{1,2}'

/** Other characters of a format stand for themselves. */
const tokens = {
  yyyy: number('year', '\\d{4}'),
  yy: { pattern: '\\d{2}', take: (text) => ({ year: 2000 + Number(text) }) },
  MMMM: 'long',
  MMM: 'short',
  MM: number('month', ONE_OR_TWO),
  M: number('month', ONE_OR_TWO),
  dd: number('day', ONE_OR_TWO),
  d: number('day', ONE_OR_TWO),
  EEE: WEEKDAY,
  HH: number('hour', ONE_OR_TWO),
  H: number('hour', ONE_OR_TWO),
  h: number('hour', '1[0-2]|0?[1-9]'),
  mm: number('minute', '\\d{2}'),
  ss: number('second', '\\d{2}'),
  a: { pattern: 'am|pm', take: (text) => ({ isAfternoon: text.toLowerCase() === 'pm' }) },
  Z: OFFSET,
} satisfies Record<string, Token | MonthStyle>

function tokenIn(locale: string, name: string): Token {
  const token = (tokens as Readonly<Record<string, Token | MonthStyle>>)[name]
  return typeof token === 'string' ? monthToken(token, locale) : (token as Token)
}

const FRACTION: Token = {
  pattern: '\\d{1,9}',
  take: (text) => ({ millisecond: Number(text.padEnd(3, '0').slice(0, 3)) }),
}

/** Also accepts a space for the T, no seconds, an offset without a colon, or none. */
const isoTime = parserOf(
  `(\\d{4})-(\\d\\d)-(\\d\\d)(?:(?:T| {1,2})(\\d\\d):(\\d\\d)(?::(\\d\\d)(?:[.,](\\d{1,9}))?)? ?(${OFFSET.pattern})?)?`,
  [tokens.yyyy, tokens.MM, tokens.dd, tokens.HH, tokens.mm, tokens.ss, FRACTION, OFFSET],
)

const unixTime: DateParser = (text) => {
  const date = new Date(/^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN)
  return Number.isNaN(date.getTime()) ? undefined : isoTime(date.toISOString())
}

const namedFormats: Readonly<Record<string, DateParser>> = {
  iso: isoTime,
  'unix-ms': unixTime,
}

export function dateFormatFault(format: string): string | undefined {
  if (Object.hasOwn(namedFormats, format)) return undefined
  const letters = partsOf(format).flatMap((part) => ('token' in part ? part.token : []))
  const unknown = letters.find((token) => !Object.hasOwn(tokens, token))
  if (unknown !== undefined)
    return `contains the unknown token ${unknown}; a format is ${Object.keys(namedFormats).join(', ')}, or consists of ${Object.keys(tokens).join(' ')}, with other letters in single quotes`
  const has = (letter: string) => letters.some((token) => token.startsWith(letter))
  if (!has('y') || !has('M') || !has('d')) return 'must have a year, a month and a day'
  if (has('h') !== has('a')) return 'must have both h and a, or H'
  if ((has('m') && !has('h') && !has('H')) || (has('s') && !has('m')))
    return 'must have hours to have minutes or seconds'
  return undefined
}

/** The format must be valid: check it with `dateFormatFault` first. */
export function dateParser(format: string, locale = 'en'): DateParser {
  const parser = namedFormats[format]
  if (parser !== undefined) return parser
  const parts = partsOf(format.replace(/\*$/, '')).map((part) => ('token' in part ? tokenIn(locale, part.token) : part))
  const groups = parts.filter((part) => 'pattern' in part)
  const patterns = parts.map((part) => ('pattern' in part ? `(${part.pattern})` : literally(part.text)))
  return parserOf(patterns.join('') + (format.endsWith('*') ? '.*' : ''), groups)
}

/** The pattern has a group for each token, in order. */
function parserOf(pattern: string, groups: readonly Token[]): DateParser {
  const whole = new RegExp(`^${pattern}$`, 'isu')
  return (text) => {
    const match = whole.exec(text)
    if (match === null) return undefined
    const parts = groups.map(({ take }, i) => (match[i + 1] === undefined ? {} : take(match[i + 1] as string)))
    return Object.assign({}, ...parts)
  }
}

/** Runs of one letter are tokens; everything else, and text in single quotes, stands for itself. */
function partsOf(format: string): ({ token: string } | { text: string })[] {
  return Array.from(format.matchAll(/'([^']*)'|([A-Za-z])\2*|[^A-Za-z']+|'/g), ([run, quoted]) =>
    quoted === undefined && /^[A-Za-z]/.test(run) ? { token: run } : { text: quoted ?? run },
  )
}

/** A space matches any whitespace, even a non-breaking space: Java writes one before AM. */
const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\s+/g, '\\s+')

const FIRST_MS = wallTimeOf(1, 1, 1)

/** A due date means the end of its day, a creation date the beginning. */
export type DayBound = 'start' | 'end'

/** With `isDay`, a time means its whole day. Undefined if there is no such time in the years 1 to 9999. */
export function instantOf(time: WrittenTime, zone: Zone, bound: DayBound, isDay: boolean): string | undefined {
  const wallMs = wallTimeIn(time)
  if (wallMs === undefined) return undefined
  const { hour, offsetMinutes } = time
  if (hour === undefined || isDay) {
    const dayMs = dayOf(time, wallMs, zone, isDay)
    return textOf(bound === 'end' ? zone.startOfDay(dayMs + DAY_MS) - SECOND_MS : zone.startOfDay(dayMs))
  }
  return textOf(offsetMinutes === undefined ? zone.instantOf(wallMs) : wallMs - offsetMinutes * MINUTE_MS)
}

/** The date in the zone. Undefined if there is no such time in the years 1 to 9999. */
export function localDateOf(time: WrittenTime, zone: Zone, isDay: boolean): string | undefined {
  const wallMs = wallTimeIn(time)
  return wallMs === undefined ? undefined : textOf(dayOf(time, wallMs, zone, isDay))?.slice(0, 10)
}

/** Undefined if no day has such a time. */
function wallTimeIn(time: WrittenTime): number | undefined {
  const { year, month, day, minute = 0, second = 0, millisecond = 0, isAfternoon } = time
  const hour = isAfternoon === undefined ? (time.hour ?? 0) : ((time.hour ?? 0) % 12) + (isAfternoon ? 12 : 0)
  const isMonth = year >= 1 && month >= 1 && month <= 12
  const isRealDay = isMonth && day >= 1 && new Date(wallTimeOf(year, month, day)).getUTCDate() === day
  if (!isRealDay || hour > 23 || minute > 59 || second > 59) return undefined
  return wallTimeOf(year, month, day, hour, minute, second) + millisecond
}

/** A time with an offset belongs to a day in the zone's calendar; with `isDay`, midnight is how its day is written. */
function dayOf({ hour, offsetMinutes }: WrittenTime, wallMs: number, zone: Zone, isDay: boolean): number {
  const isWritten = hour === undefined || offsetMinutes === undefined || (isDay && wallMs % DAY_MS === 0)
  const localMs = isWritten ? wallMs : zone.wallTime(wallMs - offsetMinutes * MINUTE_MS)
  return Math.floor(localMs / DAY_MS) * DAY_MS
}

const textOf = (instantMs: number): string | undefined =>
  instantMs >= FIRST_MS && instantMs <= LAST_MS ? isoOf(instantMs) : undefined
