import { hash } from 'node:crypto'
import type { Column } from '../../database/table.ts'
import { truncate } from '../../lib/plain-text.ts'
import { dateParser, instantOf } from './dates.ts'
import { compilePart, type Extract, type MapContext } from './part.ts'
import type { FieldRule, Part } from './schema.ts'
import { quotedText } from './values.ts'

/** Each id is held in memory. No project in a tracker without ids has this many tasks. */
const MAX_UNIQUE = 100_000
const HASH_CHARACTERS = 16

/** Returns undefined if nothing is left of the text. */
type Step = (text: string, problems: string[]) => string | undefined

export function compileFieldRule(field: string, rule: FieldRule, column: Column, context: MapContext): Extract {
  const extract = rule.parts === undefined ? compilePart(field, rule, context) : compileParts(field, rule, context)
  const steps: Step[] = [
    ...(rule.hash ? [(text: string) => hash('sha256', text).slice(0, HASH_CHARACTERS)] : []),
    (text) => framed(text, rule),
    ...(rule.unique ? [numbered()] : []),
    ...(column.kind === 'instant' ? [toInstant(field, rule, column, context)] : []),
    ...(rule.truncate ? [(text: string) => truncate(text, column.maxLength)] : []),
  ]
  return (record, problems) => {
    const found = extract(record, problems)
    let value = found
    for (const step of steps) if (value !== undefined) value = step(value, problems)
    if (found !== undefined && value !== undefined) context.report?.became(field, found, value)
    return value ?? rule.default
  }
}

/** Takes the first part that is not empty, or joins all of them. */
function compileParts(field: string, { parts = [], join }: FieldRule, context: MapContext): Extract {
  const compiled = parts.map((part) => ({ part, extract: compilePart(field, part, context) }))
  return (record, problems) => {
    const texts: string[] = []
    for (const { part, extract } of compiled) {
      const text = extract(record, problems)
      if (text !== undefined) texts.push(framed(text, part))
      if (texts.length > 0 && join === undefined) break
    }
    return texts.length === 0 ? undefined : texts.join(join)
  }
}

const framed = (text: string, { prefix = '', suffix = '' }: Part): string => prefix + text + suffix

function numbered(): Step {
  const seen = new Map<string, number>()
  return (text, problems) => {
    const count = (seen.get(text) ?? 0) + 1
    seen.set(text, count)
    if (seen.size > MAX_UNIQUE)
      problems.push(`cannot be numbered: more than ${MAX_UNIQUE} records have no id; use a source that has ids`)
    return count === 1 ? text : `${text}-${count}`
  }
}

function toInstant(
  field: string,
  { formats = ['iso'], dateOnly = false, otherwise }: FieldRule,
  { isCreation = false }: Column,
  { zone, report }: MapContext,
): Step {
  const parsers = formats.map(dateParser)
  return (text, problems) => {
    for (const parse of parsers) {
      const time = parse(text)
      const instant = time && instantOf(time, zone, isCreation ? 'start' : 'end', dateOnly)
      if (instant !== undefined) return instant
    }
    if (otherwise === undefined)
      problems.push(`is ${quotedText(text)}, which is not a date and time in ${inWords(formats)}`)
    else report?.missed(field, text, otherwise)
    return otherwise ?? undefined
  }
}

const inWords = (formats: readonly string[]): string =>
  formats.length === 1
    ? `the format ${formats[0]}`
    : `any of the formats ${formats.map((format) => `'${format}'`).join(', ')}`
