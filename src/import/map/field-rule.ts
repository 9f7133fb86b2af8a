import { hash } from 'node:crypto'
import { isEmail } from '../../lib/email.ts'
import { truncate } from '../../lib/plain-text.ts'
import type { Zone } from '../../lib/zone.ts'
import { type Column, isDecimalKind, isRequired } from '../../lists/column.ts'
import type { Finder } from '../format/json-pointer.ts'
import { dateParser, instantOf, localDateOf } from './dates.ts'
import type { MapReport } from './report.ts'
import { columnsOfRule, type FieldPart, type FieldRule } from './schema.ts'
import { type DecimalMark, decimalParser, fold, listOf, quotedText, textsOf } from './values.ts'

const HASH_CHARACTERS = 16

/** Returns undefined if nothing is left of the text. */
type Step = (text: string, problems: string[]) => string | undefined

/** Separates the items of a list while it is one text. No stored text contains it. */
const BETWEEN_ITEMS = '\0'

export function compileFieldRule(field: string, fieldRule: FieldRule, column: Column, context: MapContext): Extract {
  const rule = column.kind === 'texts' ? joiningItems(fieldRule) : fieldRule
  const compile = rule.parts === undefined ? compilePart : compileParts
  const extract = rule.number
    ? () => String(++context.records.count)
    : compile(field, rule, { ...context, mustBeExact: isDecimalKind(column) })
  const steps: Step[] = [
    ...(rule.hash ? [hashed(context.seen)] : []),
    (text) => prefixed(text, rule),
    ...(column.kind === 'instant' || column.kind === 'date' ? [toTime(field, rule, column, context)] : []),
    ...(rule.decimal === undefined ? [] : [toDecimal(field, rule, rule.decimal, context)]),
    ...(column.kind === 'texts' ? [(text: string) => JSON.stringify(text.split(BETWEEN_ITEMS))] : []),
    ...(rule.truncate ? [(text: string) => truncate(text, column.maxLength)] : []),
  ]
  const none = column.kind === 'texts' ? emptyList(rule, column, context) : () => undefined
  const countedDefault = isRequired(column) && columnsOfRule(rule).length > 0 ? rule.default : undefined
  return (record, problems) => {
    let value = extract(record, problems)
    for (const step of steps) if (value !== undefined) value = step(value, problems)
    if (value === undefined && countedDefault !== undefined) context.report?.defaulted(field, countedDefault)
    return value ?? rule.default ?? none(record)
  }
}

/** An empty list is a value. A missing one is null, unless the field cannot be. */
function emptyList(rule: FieldRule, { isNullable }: Column, { finderOf }: MapContext) {
  const lists = columnsOfRule(rule).flatMap((column) => finderOf(column.replace(/\/\*(?:\/.*)?$/, '')) ?? [])
  const isThere = (record: unknown) => lists.some((find) => find(record).some(Array.isArray))
  return (record: unknown) => (!isNullable || isThere(record) ? '[]' : undefined)
}

/** Takes the first part that is not empty, or joins all of them. */
function compileParts(field: string, { parts = [], join }: FieldRule, context: MapContext): Extract {
  const compiled = parts.map((part) => ({ part, extract: compilePart(field, part, context) }))
  return (record, problems) => {
    const texts: string[] = []
    for (const { part, extract } of compiled) {
      const text = extract(record, problems)
      if (text !== undefined) texts.push(prefixed(text, part))
      if (texts.length > 0 && join === undefined) break
    }
    return texts.length === 0 ? undefined : texts.join(join)
  }
}

const prefixed = (text: string, { prefix = '' }: FieldPart): string => prefix + text

/** Each hash is held in memory; a list has at most 100,000 rows. */
function hashed(seen: MapContext['seen']): Step {
  return (text) => {
    const short = hash('sha256', text).slice(0, HASH_CHARACTERS)
    const count = (seen.get(short) ?? 0) + 1
    seen.set(short, count)
    return count === 1 ? short : `${short}-${count}`
  }
}

const joiningItems = (rule: FieldRule): FieldRule => ({
  ...rule,
  join: BETWEEN_ITEMS,
  ...(rule.parts && { parts: rule.parts.map((part) => ({ ...part, join: BETWEEN_ITEMS })) }),
})

/** How to handle a text that another step cannot read. */
const fallback =
  (field: string, { otherwise }: FieldRule, { report }: MapContext, what: string): Step =>
  (text, problems) => {
    if (otherwise === undefined) problems.push(`is ${quotedText(text)}, which is not ${what}`)
    else report?.missed(field, text, otherwise)
    return otherwise ?? undefined
  }

function toDecimal(field: string, rule: FieldRule, mark: DecimalMark, context: MapContext): Step {
  const read = decimalParser(mark)
  const otherwise = fallback(field, rule, context, `a number with the decimal mark ${mark}`)
  return (text, problems) => read(text) ?? otherwise(text, problems)
}

function toTime(field: string, rule: FieldRule, { kind, isCreation = false }: Column, context: MapContext): Step {
  const { formats = ['iso'], dateOnly = false } = rule
  const { zone, locale } = context
  const parsers = formats.map((format) => dateParser(format, locale))
  const what = `a date${kind === 'date' ? '' : ' and time'} in ${inWords(formats)}`
  const otherwise = fallback(field, rule, context, what)
  return (text, problems) => {
    for (const parse of parsers) {
      const time = parse(text)
      const read =
        time && kind === 'date'
          ? localDateOf(time, zone, dateOnly)
          : time && instantOf(time, zone, isCreation ? 'start' : 'end', dateOnly)
      if (read !== undefined) return read
    }
    return otherwise(text, problems)
  }
}

const inWords = (formats: readonly string[]): string =>
  formats.length === 1
    ? `the format ${formats[0]}`
    : `any of the formats ${formats.map((format) => `'${format}'`).join(', ')}`

export interface MapContext {
  finderOf(column: string): Finder | undefined
  lookUp(lookup: string, key: string): string | undefined
  /** The timezone of dates, and of times without an offset. */
  zone: Zone
  /** The language of month names. */
  locale: string | undefined
  report?: MapReport | undefined
  /** How often each hash became an id, in all files of an import. */
  seen: Map<string, number>
  /** In all files of an import, without those that are skipped. */
  records: { count: number }
  /** Whether numbers are read only if they are exact. */
  mustBeExact?: boolean
}

export type Extract = (record: unknown, problems: string[]) => string | undefined

function compilePart(field: string, part: FieldPart, context: MapContext): Extract {
  const finders = listOf(part.from).flatMap((column) => {
    const find = context.finderOf(column)
    return find === undefined ? [] : { column, find }
  })
  const translate = compileTranslation(field, part, context)
  const { join, skip = 0 } = part
  return (record, problems) => {
    const texts: string[] = []
    let skipped = 0
    for (const { column, find } of finders) {
      const onProblem = (problem: string) => problems.push(`cannot be read: ${column} ${problem}`)
      for (const text of find(record).flatMap((value) => textsOf(value, onProblem, context.mustBeExact))) {
        for (const piece of piecesOf(text, part)) {
          if (skipped++ < skip) continue
          // Without join, only the first value counts: a later address would not belong to the first name.
          if (part.isEmail !== undefined && isEmail(piece) !== part.isEmail) {
            if (join === undefined) return undefined
            continue
          }
          const meaning = translate(piece, column, problems)
          if (meaning === undefined) continue
          if (join === undefined) return meaning
          texts.push(meaning)
        }
      }
    }
    return texts.length === 0 ? undefined : texts.join(join)
  }
}

function piecesOf(text: string, { split, upTo }: FieldPart): readonly string[] {
  if (split === undefined && upTo === undefined) return [text]
  return (split === undefined ? [text] : text.split(split))
    .map((piece) => (upTo === undefined || !piece.includes(upTo) ? piece : piece.slice(0, piece.lastIndexOf(upTo))))
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')
}

/** Applies the look-up, then the value table. */
function compileTranslation(
  field: string,
  { lookup, values, any, otherwise }: FieldPart,
  { lookUp, report }: MapContext,
): (text: string, column: string, problems: string[]) => string | undefined {
  const table = values && new Map(Object.entries(values).map(([value, meaning]) => [fold(value), meaning]))
  if (any !== undefined) return () => any
  return (text, column, problems) => {
    const word = lookup === undefined ? text : lookUp(lookup, text)
    const meaning = word === undefined || table === undefined ? word : table.get(fold(word))
    if (meaning !== undefined) return meaning ?? undefined
    if (otherwise !== undefined) {
      report?.missed(field, word ?? text, otherwise)
      return otherwise ?? undefined
    }
    const where = word === undefined ? `the look-up ${lookup}` : 'the values of the map'
    problems.push(`cannot be read: ${quotedText(word ?? text)} in ${column} is not in ${where}`)
    return undefined
  }
}
