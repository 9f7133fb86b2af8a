import { createHash } from 'node:crypto'
import type { Column } from '../../database/table.ts'
import type { MapContext, TextReader } from './context.ts'
import { dateFormat } from './date-format.ts'
import { framed, partReader } from './part.ts'
import type { Feed } from './schema.ts'
import { quotedText } from './texts.ts'
import { type DayBound, instantOf } from './written-time.ts'

/** No project of a tracker without ids has as many tasks; each id is kept to tell whether it was there. */
const MAX_UNIQUE = 100_000
const HASH_CHARACTERS = 16
const ELLIPSIS = '…'

/** Compiles the rule for a field into what reads it out of a record. */
export function feedReader(field: string, feed: Feed, column: Column, context: MapContext): TextReader {
  const text = feed.parts === undefined ? partReader(field, feed, context) : together(field, feed, context)
  const steps: Step[] = [
    ...(feed.hash ? [hashed] : []),
    ...(feed.prefix !== undefined || feed.suffix !== undefined ? [(value: string) => framed(value, feed)] : []),
    ...(feed.unique ? [numbered()] : []),
    ...(column.kind === 'instant' ? [toInstant(field, feed, column.isCreation ? 'start' : 'end', context)] : []),
    ...(feed.truncate && column.maxLength !== undefined ? [cutTo(column.maxLength)] : []),
  ]
  return (record, problems) => {
    const found = text(record, problems)
    let value = found
    for (const step of steps) if (value !== undefined) value = step(value, problems)
    if (found !== undefined && value !== undefined) context.report?.read(field, found, value)
    return value ?? feed.default
  }
}

type Step = (text: string, problems: string[]) => string | undefined

/** The first part that is not empty; or, joined, all of them. */
function together(field: string, { parts = [], join }: Feed, context: MapContext): TextReader {
  const readers = parts.map((part) => ({ part, read: partReader(field, part, context) }))
  return (record, problems) => {
    const texts: string[] = []
    for (const { part, read } of readers) {
      const text = read(record, problems)
      if (text !== undefined) texts.push(framed(text, part))
      if (texts.length > 0 && join === undefined) break
    }
    return texts.length === 0 ? undefined : texts.join(join)
  }
}

const hashed: Step = (text) => createHash('sha256').update(text).digest('hex').slice(0, HASH_CHARACTERS)

function numbered(): Step {
  const seen = new Map<string, number>()
  return (text, problems) => {
    const count = (seen.get(text) ?? 0) + 1
    seen.set(text, count)
    if (seen.size > MAX_UNIQUE)
      problems.push(`are more than ${MAX_UNIQUE} without ids of their own; use a source that has ids`)
    return count === 1 ? text : `${text}-${count}`
  }
}

function toInstant(
  field: string,
  { formats = ['iso'], dateOnly = false, otherwise }: Feed,
  bound: DayBound,
  { zone, report }: MapContext,
): Step {
  const readers = formats.map(dateFormat)
  return (text, problems) => {
    for (const read of readers) {
      const time = read(text)
      const instant = time && instantOf(time, zone, bound, dateOnly)
      if (instant !== undefined) return instant
    }
    if (otherwise === undefined)
      problems.push(`is ${quotedText(text)}, which is no date and time in ${inWords(formats)}`)
    else report?.missed(field, text, otherwise)
    return otherwise ?? undefined
  }
}

const inWords = (formats: readonly string[]): string =>
  formats.length === 1
    ? `the format ${formats[0]}`
    : `any of the formats ${formats.map((format) => `'${format}'`).join(', ')}`

const cutTo =
  (maxLength: number): Step =>
  (text) => {
    if (text.length <= maxLength) return text
    const characters = [...text]
    return characters.length <= maxLength ? text : characters.slice(0, maxLength - 1).join('') + ELLIPSIS
  }
