import { wallTimeOf, type Zone } from '../../lib/zone.ts'

/** A date or a time as a file has it. Without an hour it is a date; without an offset it is local. */
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

/** Parses a text in one format; undefined if it is in another. */
type DateParser = (text: string) => WrittenTime | undefined

/** What a token of a format matches, and what of the time that gives. */
interface Token {
  pattern: string
  take(text: string): Partial<WrittenTime>
}

const number = (name: keyof WrittenTime, pattern: string): Token => ({
  pattern,
  take: (text) => ({ [name]: Number(text) }),
})

const MONTHS = 'January February March April May June July August September October November December'.split(' ')

const month = (length: number): Token => {
  const names = MONTHS.map((name) => name.slice(0, length).toLowerCase())
  return { pattern: names.join('|'), take: (text) => ({ month: names.indexOf(text.toLowerCase()) + 1 }) }
}

/** Not checked against the date. */
const WEEKDAY: Token = { pattern: '\\p{L}{1,30}', take: () => ({}) }

const OFFSET: Token = {
  pattern: 'Z|UTC|GMT|[+-](?:[01]\\d|2[0-3]):?(?:[0-5]\\d)?',
  take: (text) => {
    const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d):?(\d\d)?/.exec(text) ?? []
    return { offsetMinutes: (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) }
  },
}

const ONE_OR_TWO = '\\d{1,2}'
const TO_TWELVE = '1[0-2]|0?[1-9]'

/** The letters that a format may have; all other characters stand for themselves. */
const tokens = {
  yyyy: number('year', '\\d{4}'),
  yy: { pattern: '\\d{2}', take: (text) => ({ year: 2000 + Number(text) }) },
  MMMM: month(9),
  MMM: month(3),
  MM: number('month', ONE_OR_TWO),
  M: number('month', ONE_OR_TWO),
  dd: number('day', ONE_OR_TWO),
  d: number('day', ONE_OR_TWO),
  EEEE: WEEKDAY,
  EEE: WEEKDAY,
  HH: number('hour', ONE_OR_TWO),
  H: number('hour', ONE_OR_TWO),
  hh: number('hour', TO_TWELVE),
  h: number('hour', TO_TWELVE),
  mm: number('minute', '\\d{2}'),
  ss: number('second', '\\d{2}'),
  SSS: number('millisecond', '\\d{3}'),
  a: { pattern: 'am|pm', take: (text) => ({ isAfternoon: text.toLowerCase() === 'pm' }) },
  Z: OFFSET,
} satisfies Record<string, Token>
const tokenOf: Readonly<Record<string, Token>> = tokens

const FRACTION: Token = {
  pattern: '\\d{1,9}',
  take: (text) => ({ millisecond: Number(text.padEnd(3, '0').slice(0, 3)) }),
}

/** ISO 8601 as people and programs write it: a space for the T, without seconds, an offset without a colon, or none. */
const isoTime = parserOf(
  `(\\d{4})-(\\d\\d)-(\\d\\d)(?:(?:T| {1,2})(\\d\\d):(\\d\\d)(?::(\\d\\d)(?:[.,](\\d{1,9}))?)? ?(${OFFSET.pattern})?)?`,
  [tokens.yyyy, tokens.MM, tokens.dd, tokens.HH, tokens.mm, tokens.ss, FRACTION, OFFSET],
)

const unixTime =
  (unitMs: number): DateParser =>
  (text) => {
    const date = new Date(Number(text) * unitMs)
    const isTime = /^-?\d{1,16}(?:\.\d{1,9})?$/.test(text) && !Number.isNaN(date.getTime())
    return isTime ? isoTime(date.toISOString()) : undefined
  }

const namedFormats: Readonly<Record<string, DateParser>> = {
  iso: isoTime,
  unix: unixTime(1000),
  'unix-ms': unixTime(1),
}

/** What is wrong with a format, if anything. */
export function dateFormatFault(format: string): string | undefined {
  if (Object.hasOwn(namedFormats, format)) return undefined
  const letters = partsOf(format).flatMap((part) => ('token' in part ? part.token : []))
  const unknown = letters.find((token) => !Object.hasOwn(tokens, token))
  if (unknown !== undefined)
    return `does not know ${unknown}; a format is ${Object.keys(namedFormats).join(', ')}, or has ${Object.keys(tokens).join(' ')}, with other letters in single quotes`
  const has = (letter: string) => letters.some((token) => token.startsWith(letter))
  if (!has('y') || !has('M') || !has('d')) return 'must have a year, a month and a day'
  if (has('h') !== has('a')) return 'must have both h and a, or H'
  if ((has('m') && !has('h') && !has('H')) || (has('s') && !has('m')))
    return 'must have hours to have minutes or seconds'
  return undefined
}

/** Of a format without a fault. */
export function dateParser(format: string): DateParser {
  const named = namedFormats[format]
  if (named !== undefined) return named
  const parts = partsOf(format.replace(/\*$/, ''))
  const groups = parts.flatMap((part) => ('token' in part ? (tokenOf[part.token] as Token) : []))
  const patterns = parts.map((part) => ('token' in part ? `(${tokenOf[part.token]?.pattern})` : literally(part.text)))
  return parserOf(patterns.join('') + (format.endsWith('*') ? '.*' : ''), groups)
}

/** Each token has a group of the pattern, in the same order. */
function parserOf(pattern: string, groups: readonly Token[]): DateParser {
  const whole = new RegExp(`^${pattern}$`, 'isu')
  return (text) => {
    const found = whole.exec(text)
    if (found === null) return undefined
    const taken = groups.map(({ take }, i) => (found[i + 1] === undefined ? {} : take(found[i + 1] as string)))
    return Object.assign({}, ...taken)
  }
}

/** Runs of one letter are tokens; what is in single quotes, and all else, stands for itself. */
function partsOf(format: string): ({ token: string } | { text: string })[] {
  return Array.from(format.matchAll(/'([^']*)'|([A-Za-z])\2*|[^A-Za-z']+|'/g), ([run, quoted]) =>
    quoted === undefined && /^[A-Za-z]/.test(run) ? { token: run } : { text: quoted ?? run },
  )
}

/** A space stands for any space, also for those that are not broken: Java writes one before AM. */
const literally = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&').replace(/\s+/g, '\\s+')

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const FIRST_MS = wallTimeOf(1, 1, 1)
const LAST_MS = wallTimeOf(10_000, 1, 1) - 1

/** What a day stands for: something is due by its end, and was created at its beginning. */
export type DayBound = 'start' | 'end'

/**
 * The instant, in RFC 3339. A date is the first or last second of that day in the zone; a local time is one of the zone. With
 * `isDay`, a time stands for its day. Undefined if there is no such day or hour, or it is not in the years 1 to 9999.
 */
export function instantOf(time: WrittenTime, zone: Zone, bound: DayBound, isDay: boolean): string | undefined {
  const { year, month, day, minute = 0, second = 0, millisecond = 0, offsetMinutes, isAfternoon } = time
  const hour = isAfternoon === undefined ? (time.hour ?? 0) : ((time.hour ?? 0) % 12) + (isAfternoon ? 12 : 0)
  const midnightMs = wallTimeOf(year, month, day)
  const isRealDay = year >= 1 && month >= 1 && month <= 12 && day >= 1 && new Date(midnightMs).getUTCDate() === day
  if (!isRealDay || hour > 23 || minute > 59 || second > 59) return undefined
  const wallMs = wallTimeOf(year, month, day, hour, minute, second) + millisecond
  const boundOf = (dayMs: number) => textOf(bound === 'end' ? zone.endOfDay(dayMs) : zone.startOfDay(dayMs))
  if (time.hour === undefined || (isDay && offsetMinutes === undefined)) return boundOf(midnightMs)
  if (offsetMinutes === undefined) return textOf(zone.instantOf(wallMs))
  const instantMs = wallMs - offsetMinutes * MINUTE_MS
  if (!isDay) return textOf(instantMs)
  // Midnight is how a day is written as a time; any other time is on the day that the zone's calendar shows.
  const dayMs = wallMs === midnightMs ? midnightMs : Math.floor(zone.wallTime(instantMs) / DAY_MS) * DAY_MS
  return boundOf(dayMs)
}

const textOf = (instantMs: number): string | undefined =>
  instantMs >= FIRST_MS && instantMs <= LAST_MS ? new Date(instantMs).toISOString() : undefined
