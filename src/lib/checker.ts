/**
 * src/lib has small utilities. Any file may import them; they import only each other. The only part of Vitrine's domain here is the
 * key format, because redaction and src/tools need it.
 *
 *   values      schema describes JSON values and their types, checker checks them, and fault names what is wrong;
 *               decimal, instant, duration, zone, local-dates, email, cidr, defined, openapi
 *   bytes       chunks, small-file
 *   rows        batches
 *   texts       plain-text, fold-case, json-text, redact (secrets in logs), nearest (suggestions), format-count
 *   HTTP        http-client, http-headers, http-url, served-file, network, public-address, foreign-origin;
 *               node-http avoids loading undici
 *   secrets     key-format, secret, secret-file
 *   fairness    fair-share (limits per holder), rate-windows (limits per time), turns (long work in slices), share-concurrent, lazily,
 *               lru (a bounded cache)
 *   errors      user-error (messages for people), connection-failures, logger
 *
 * Utilities with one user live next to that user.
 */
import { DECIMAL_PATTERN, isDecimal } from './decimal.ts'
import { isEmail } from './email.ts'
import { type Fault, within } from './fault.ts'
import { isHttpUrl } from './http-url.ts'
import { isDate, toInstant } from './instant.ts'
import { isPlainText, NOT_PLAIN } from './plain-text.ts'
import type { Field, Format, JsonType, MapSchema, ObjectSchema } from './schema.ts'

const MAX_LISTED = 20

/** Returns a value's faults by field. Unknown members are always rejected. */
export function checker(field: Field): (value: unknown) => Fault[] {
  const types = [field.type ?? []].flat() as JsonType[]
  // Fails at startup instead of accepting values that this cannot check.
  if (types.length === 0 || field.const !== undefined) throw new Error('this kind of field cannot be checked')
  const wrongType = `must be ${types.map(withArticle).join(' or ')}`
  const format = textFormatOf(field)
  const faultsInArray = arrayChecker(field)
  const faultsInObject = objectChecker(field as ObjectSchema | MapSchema)
  return (value) => {
    if (!types.some((type) => isOf[type](value))) return [{ field: '', problem: wrongType }]
    if (Array.isArray(value)) return faultsInArray(value)
    if (isObject(value)) return faultsInObject(value)
    const problem = typeof value === 'string' ? textProblem(value, field, format) : numberProblem(value, field)
    return problem === undefined ? NONE : [{ field: '', problem }]
  }
}

const NONE: Fault[] = []

function arrayChecker(schema: Field): (value: unknown[]) => Fault[] {
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems = false } = schema
  if (items === undefined) return () => NONE
  const faultsOf = checker(items)
  return (value) => {
    const problem = countProblem(value.length, 'item', minItems, maxItems)
    if (problem !== undefined) return [{ field: '', problem }]
    return value.flatMap((item, i) =>
      uniqueItems && value.indexOf(item) < i
        ? [{ field: String(i), problem: 'is listed twice' }]
        : within(String(i), faultsOf(item)),
    )
  }
}

function countProblem(count: number, what: string, min: number, max: number): string | undefined {
  if (count < min) return `must have at least ${min} ${what}${min === 1 ? '' : 's'}`
  return count > max ? `must have at most ${max} ${what}s, and has ${count}` : undefined
}

function mapChecker(schema: MapSchema): (value: Record<string, unknown>) => Fault[] {
  const { required = [], minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema
  const faultsOf = checker(schema.additionalProperties)
  const faultsOfName = schema.propertyNames === undefined ? () => NONE : checker(schema.propertyNames)
  return (value) => {
    const members = Object.entries(value)
    const problem = countProblem(members.length, 'member', minProperties, maxProperties)
    if (problem !== undefined) return [{ field: '', problem }]
    return [
      ...required.filter((name) => !Object.hasOwn(value, name)).map((field) => ({ field, problem: 'is required' })),
      ...members.flatMap(([name, member]) => within(name, [...faultsOfName(name), ...faultsOf(member)])),
    ]
  }
}

function objectChecker(schema: ObjectSchema | MapSchema): (value: Record<string, unknown>) => Fault[] {
  if (isMap(schema)) return mapChecker(schema)
  const { properties, required = [] } = schema
  if (properties === undefined) return () => NONE
  const fields = Object.entries(properties).map(([name, field]) => ({ name, faultsOf: checker(field) }))
  return (value) => {
    const faults = unknownMembers(value, properties)
    for (const { name, faultsOf } of fields) {
      const member = value[name]
      const inner = member === undefined ? NONE : faultsOf(member)
      if (inner !== NONE) faults.push(...within(name, inner))
      else if (member === undefined && required.includes(name)) faults.push({ field: name, problem: 'is required' })
    }
    return faults
  }
}

const isMap = (schema: ObjectSchema | MapSchema): schema is MapSchema => typeof schema.additionalProperties === 'object'

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function unknownMembers(value: object, properties: object): Fault[] {
  const faults: Fault[] = []
  for (const name in value) {
    if (Object.hasOwn(properties, name)) continue
    faults.push({ field: name, problem: 'is not a known field' })
    if (faults.length === MAX_LISTED) break
  }
  return faults
}

/** Finds texts that cannot be stored, and that some databases reject in a query. */
export const unstorable = (value: unknown, names: readonly string[]): Fault[] =>
  names
    .filter((name) => [(Object(value) as Record<string, unknown>)[name]].flat().some(isUnstorable))
    .map((field) => ({ field, problem: NOT_PLAIN }))

const isUnstorable = (value: unknown): boolean => typeof value === 'string' && !isPlainText(value)

export const isOf: Record<JsonType, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  object: isObject,
  array: Array.isArray,
  null: (value) => value === null,
}

function textProblem(text: string, { minLength = 0, maxLength, enum: allowed }: Field, format: TextFormat | undefined) {
  if (text.length < minLength) return minLength === 1 ? 'must not be empty' : `must be at least ${minLength} characters`
  if (maxLength !== undefined && isLonger(text, maxLength))
    return `must be at most ${maxLength} characters, and has ${charactersIn(text)}`
  if (allowed !== undefined && !allowed.includes(text))
    return `must be one of ${allowed.filter((one) => one !== null).join(', ')}`
  return format === undefined || format.fits(text) ? undefined : format.problem
}

/** A character outside the basic plane takes two UTF-16 units. */
export const isLonger = (text: string, maxLength: number) => text.length > maxLength && charactersIn(text) > maxLength

export const charactersIn = (text: string): number => [...text].length

function numberProblem(number: unknown, { minimum, maximum }: Field): string | undefined {
  if (typeof number !== 'number') return undefined
  if (minimum !== undefined && number < minimum) return `must be at least ${minimum}`
  if (maximum !== undefined && number > maximum) return `must be at most ${maximum}`
  return undefined
}

interface TextFormat {
  fits(text: string): boolean
  problem: string
}

function textFormatOf({ format, pattern, patternErrorMessage }: Field): TextFormat | undefined {
  if (format !== undefined) return formats[format]
  if (pattern === undefined) return undefined
  // Its bounds need more than a regular expression.
  if (pattern === DECIMAL_PATTERN) return decimal
  const known = new RegExp(pattern, 'u')
  const problem = patternErrorMessage ?? `must match the pattern ${pattern}`
  return { fits: (text) => known.test(text), problem }
}

const formats: Record<Format, TextFormat> = {
  'date-time': {
    fits: (text) => toInstant(text) !== undefined,
    problem: 'must be a valid date and time with an offset, such as 2026-11-15T09:00:00Z',
  },
  date: { fits: isDate, problem: 'must be a valid date, such as 2026-11-15' },
  email: { fits: isEmail, problem: 'must be an email address' },
  uri: {
    fits: isHttpUrl,
    problem: 'must be an absolute URL with http or https, in ASCII, with other characters percent-encoded',
  },
}

const decimal: TextFormat = {
  fits: isDecimal,
  problem:
    'must be a decimal such as 1240.50: at most 38 digits, 18 of them after the point, without exponent, plus sign or leading zeros',
}

const withArticle = (type: JsonType) => (type === 'null' ? type : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`)
