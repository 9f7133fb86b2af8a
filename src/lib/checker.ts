import { isEmail } from './email.ts'
import { toInstant } from './instant.ts'
import { isPlainText, NOT_PLAIN } from './plain-text.ts'
import type { Field, Format, JsonType, MapSchema, ObjectSchema } from './schema.ts'

export interface Fault {
  /** The field or argument at fault; empty if the whole value is. */
  field: string
  problem: string
}

/** How many faults of one kind are named at most. */
const MAX_NAMED = 20

/**
 * Compiles a schema into a check that returns what is wrong with each field, and what it should be. Only a value that fits
 * has no faults. Members that the schema does not know are always refused.
 */
export function checker({ properties, required = [] }: ObjectSchema): (value: unknown) => Fault[] {
  const fields = Object.entries(properties).map(([name, field]) => ({
    name,
    isRequired: required.includes(name),
    problemOf: fieldChecker(field),
    faultsWithin: innerChecker(field),
  }))
  return (value) => {
    if (!isObject(value)) return [{ field: '', problem: 'must be an object' }]
    const faults = unknownMembers(value, properties)
    for (const { name, isRequired, problemOf, faultsWithin } of fields) {
      const member = value[name]
      const problem = member === undefined ? isRequired && 'is required' : problemOf(member)
      if (problem) faults.push({ field: name, problem })
      else if (faultsWithin !== undefined && member !== undefined) faults.push(...within(name, faultsWithin(member)))
    }
    return faults
  }
}

/** What is wrong inside a value of the right type; undefined if such a field has no inside. */
function innerChecker(field: Field): ((value: unknown) => Fault[]) | undefined {
  const { items, maxItems = Number.POSITIVE_INFINITY } = field
  const { properties, additionalProperties } = field as Partial<ObjectSchema> & Partial<MapSchema>
  const ofItem = items && valueChecker(items)
  const ofMembers = properties && checker(field as ObjectSchema)
  const ofMember = typeof additionalProperties === 'object' ? valueChecker(additionalProperties) : undefined
  if (ofItem === undefined && ofMembers === undefined && ofMember === undefined) return undefined
  return (value) => {
    if (Array.isArray(value) && value.length > maxItems)
      return [{ field: '', problem: `must have at most ${maxItems} items, and has ${value.length}` }]
    if (Array.isArray(value)) return value.flatMap((item, i) => within(String(i), ofItem?.(item) ?? []))
    if (!isObject(value)) return []
    if (ofMember !== undefined) return Object.entries(value).flatMap(([name, member]) => within(name, ofMember(member)))
    return ofMembers?.(value) ?? []
  }
}

/** A value that is no member, such as an item of an array. */
function valueChecker(field: Field): (value: unknown) => Fault[] {
  const problemOf = fieldChecker(field)
  const faultsWithin = innerChecker(field)
  return (value) => {
    const problem = problemOf(value)
    return problem === undefined ? (faultsWithin?.(value) ?? []) : [{ field: '', problem }]
  }
}

const within = (name: string, faults: Fault[]): Fault[] =>
  faults.map(({ field, problem }) => ({ field: field === '' ? name : `${name}.${field}`, problem }))

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function unknownMembers(value: object, properties: object): Fault[] {
  const faults: Fault[] = []
  for (const name in value) {
    if (Object.hasOwn(properties, name)) continue
    faults.push({ field: name, problem: 'is not known here' })
    if (faults.length === MAX_NAMED) break
  }
  return faults
}

/** Which of the named members hold a text that cannot be stored, and that not every database accepts in a query. */
export const unstorable = (value: unknown, names: readonly string[]): Fault[] =>
  names
    .filter((name) => {
      const member = Reflect.get(Object(value), name)
      return typeof member === 'string' && !isPlainText(member)
    })
    .slice(0, MAX_NAMED)
    .map((field) => ({ field, problem: NOT_PLAIN }))

/** Compiles the check of a value by itself: it returns what is wrong with it, if anything. */
export function fieldChecker(field: Field): (value: unknown) => string | undefined {
  const types = [field.type ?? []].flat() as JsonType[]
  // Fail at start instead of letting values pass that the check does not understand.
  if (types.length === 0 || field.const !== undefined) throw new Error('such a field cannot be checked')
  const wrongType = `must be ${types.map(withArticle).join(' or ')}`
  return (value) => {
    if (!types.some((type) => isOf[type](value))) return wrongType
    if (typeof value === 'string') return textProblem(value, field)
    if (typeof value === 'number') return numberProblem(value, field)
    return undefined
  }
}

export const isOf: Record<JsonType, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  object: isObject,
  array: Array.isArray,
  null: (value) => value === null,
}

function textProblem(text: string, { minLength = 0, maxLength, format, enum: allowed }: Field): string | undefined {
  if (text.length < minLength) return minLength === 1 ? 'must not be empty' : `must be at least ${minLength} characters`
  if (maxLength !== undefined && isLonger(text, maxLength))
    return `must be at most ${maxLength} characters, and has ${charactersIn(text)}`
  if (allowed !== undefined && !allowed.includes(text))
    return `must be one of ${allowed.filter((one) => one !== null).join(', ')}`
  return format === undefined || formats[format].fits(text) ? undefined : formats[format].problem
}

/** A character outside the basic plane has two units in a string. */
const isLonger = (text: string, maxLength: number) => text.length > maxLength && charactersIn(text) > maxLength

function charactersIn(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

function numberProblem(number: number, { minimum, maximum }: Field): string | undefined {
  if (minimum !== undefined && number < minimum) return `must be at least ${minimum}`
  if (maximum !== undefined && number > maximum) return `must be at most ${maximum}`
  return undefined
}

const formats: Record<Format, { fits(text: string): boolean; problem: string }> = {
  'date-time': {
    fits: (text) => toInstant(text) !== undefined,
    problem: 'must be a date and time that exists, with an offset, such as 2026-11-15T09:00:00Z',
  },
  email: { fits: isEmail, problem: 'must be an email address' },
}

const withArticle = (type: JsonType) => (type === 'null' ? type : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`)
