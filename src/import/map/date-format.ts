import type { WrittenTime } from './written-time.ts'

/** Reads a text in one format; undefined if it is in another. */
type DateFormat = (text: string) => WrittenTime | undefined

/** Reads a part of a text from `at` on, and returns where the next part begins; -1 if it is not there. */
type Step = (text: string, at: number, into: Draft) => number
type Draft = Partial<WrittenTime> & { isAfternoon?: boolean }

/** The letters that a format may have; all other characters stand for themselves. */
const DATE_TOKENS = 'yyyy yy MMMM MMM MM M dd d EEEE EEE HH H hh h mm ss SSS a Z'.split(' ')

const NAMED_FORMATS = ['iso', 'unix', 'unix-ms']

/** What is wrong with a format, if anything. */
export function dateFormatFault(format: string): string | undefined {
  if (NAMED_FORMATS.includes(format)) return undefined
  const parts = partsOf(format)
  const unknown = parts.find((part) => 'token' in part && !Object.hasOwn(steps, part.token))
  if (unknown !== undefined && 'token' in unknown)
    return `does not know ${unknown.token}; a format is ${NAMED_FORMATS.join(', ')}, or has ${DATE_TOKENS.join(' ')}, with other letters in single quotes`
  const has = (letter: string) => parts.some((part) => 'token' in part && part.token.startsWith(letter))
  if (!has('y') || !has('M') || !has('d')) return 'must have a year, a month and a day'
  if (has('h') !== has('a')) return 'must have both h and a, or H'
  if ((has('m') && !has('h') && !has('H')) || (has('s') && !has('m')))
    return 'must have hours to have minutes or seconds'
  return undefined
}

export function dateFormat(format: string): DateFormat {
  if (format === 'iso') return isoTime
  if (format === 'unix') return (text) => unixTime(text, 1000)
  if (format === 'unix-ms') return (text) => unixTime(text, 1)
  const sequence = partsOf(format).map((part) => ('token' in part ? (steps[part.token] as Step) : literally(part.text)))
  return (text) => {
    const draft: Draft = {}
    let at = 0
    for (const step of sequence) {
      at = step(text, at, draft)
      if (at === -1) return undefined
    }
    return at < text.length ? undefined : finished(draft)
  }
}

function finished({ isAfternoon, ...time }: Draft): WrittenTime | undefined {
  if (isAfternoon === undefined || time.hour === undefined) return time as WrittenTime
  if (time.hour < 1 || time.hour > 12) return undefined
  return { ...(time as WrittenTime), hour: (time.hour % 12) + (isAfternoon ? 12 : 0) }
}

type Part = { token: string } | { text: string }

/** Runs of one letter are tokens; what is in single quotes, and all else, stands for itself. */
function partsOf(format: string): Part[] {
  const parts: Part[] = []
  for (const [run, quoted] of format.matchAll(/'([^']*)'|([A-Za-z])\2*|[^A-Za-z']+|'/g))
    parts.push(quoted === undefined && /^[A-Za-z]/.test(run) ? { token: run } : { text: quoted ?? run })
  return parts
}

const digits =
  (name: keyof WrittenTime, fewest: number, most = fewest): Step =>
  (text, at, into) => {
    let end = at
    while (end < at + most && isDigit(text, end)) end++
    if (end - at < fewest) return -1
    into[name] = Number(text.slice(at, end))
    return end
  }

const isDigit = (text: string, at: number): boolean => text[at] !== undefined && '0123456789'.includes(text[at])

const MONTHS = 'January February March April May June July August September October November December'.split(' ')

const month =
  (length: number): Step =>
  (text, at, into) => {
    const rest = text.slice(at, at + 9).toLowerCase()
    const found = MONTHS.findIndex((name) => rest.startsWith(name.slice(0, length).toLowerCase()))
    into.month = found + 1
    return found === -1 ? -1 : at + (MONTHS[found] as string).slice(0, length).length
  }

const weekday: Step = (text, at) => {
  let end = at
  while (/\p{L}/u.test(text[end] ?? '')) end++
  return end === at ? -1 : end
}

/** A space stands for any space, also those that are not broken: Java writes one before AM. A star at the end, for anything. */
const literally =
  (wanted: string): Step =>
  (text, start) => {
    let at = start
    for (let i = 0; i < wanted.length; i++) {
      const character = wanted[i] as string
      if (character === '*' && i === wanted.length - 1) return text.length
      const isSpace = character.trim() === ''
      if (isSpace ? (text[at] ?? 'x').trim() !== '' : text[at]?.toLowerCase() !== character.toLowerCase()) return -1
      at++
      while (isSpace && text[at]?.trim() === '') at++
    }
    return at
  }

const OFFSET = /^(?:(Z|UTC|GMT)|([+-])(\d{2}):?(\d{2})?)/i

const offset: Step = (text, at, into) => {
  const found = OFFSET.exec(text.slice(at, at + 6))
  if (found === null) return -1
  const [all, , sign, hours = '0', minutes = '0'] = found
  into.offsetMinutes = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  return Number(hours) > 23 || Number(minutes) > 59 ? -1 : at + all.length
}

const steps: Record<string, Step> = {
  yyyy: digits('year', 4),
  yy: (text, at, into) => {
    const end = digits('year', 2)(text, at, into)
    into.year = 2000 + (into.year ?? 0)
    return end
  },
  MMMM: month(9),
  MMM: month(3),
  MM: digits('month', 1, 2),
  M: digits('month', 1, 2),
  dd: digits('day', 1, 2),
  d: digits('day', 1, 2),
  EEEE: weekday,
  EEE: weekday,
  HH: digits('hour', 1, 2),
  H: digits('hour', 1, 2),
  hh: digits('hour', 1, 2),
  h: digits('hour', 1, 2),
  mm: digits('minute', 2),
  ss: digits('second', 2),
  SSS: digits('millisecond', 3),
  a: (text, at, into) => {
    const half = text.slice(at, at + 2).toLowerCase()
    into.isAfternoon = half === 'pm'
    return half === 'am' || half === 'pm' ? at + 2 : -1
  },
  Z: offset,
}

const ISO = /^(\d{4})-(\d{2})-(\d{2})(?:(?:[Tt]| {1,2})(\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)? ?(\S{1,6})?)?$/

/** ISO 8601 as people and programs write it: a space for the T, without seconds, an offset without a colon, or none. */
function isoTime(text: string): WrittenTime | undefined {
  const found = ISO.exec(text)
  if (found === null) return undefined
  const [, year, month, day, hour, minute, second = '0', fraction = '0', zone] = found
  const date = { year: Number(year), month: Number(month), day: Number(day) }
  if (hour === undefined) return date
  const millisecond = Number(fraction.padEnd(3, '0').slice(0, 3))
  const time: WrittenTime = { ...date, hour: Number(hour), minute: Number(minute), second: Number(second), millisecond }
  if (zone === undefined) return time
  return offset(zone, 0, time) === zone.length ? time : undefined
}

const LARGEST_MS = 8.64e15

function unixTime(text: string, unitMs: number): WrittenTime | undefined {
  if (!/^-?\d{1,16}(?:\.\d{1,9})?$/.test(text)) return undefined
  const at = Number(text) * unitMs
  if (Math.abs(at) > LARGEST_MS) return undefined
  const date = new Date(at)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: date.getUTCSeconds(),
    millisecond: date.getUTCMilliseconds(),
    offsetMinutes: 0,
  }
}
