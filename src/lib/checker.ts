import { isEmail } from './email.ts'
import { toInstant } from './instant.ts'
import { isPlainText, NOT_PLAIN } from './plain-text.ts'
import type { Field, Format, JsonType, MapSchema, ObjectSchema } from './schema.ts'

export interface Fault {
  /** Empty if the whole value is at fault. */
  field: string
  problem: string
}

/** Per kind of fault. */
const MAX_NAMED = 20

/** Returns the faults of a value by field. Members that the schema does not know are always refused. */
export function checker(field: Field): (value: unknown) => Fault[] {
  const types = [field.type ?? []].flat() as JsonType[]
  // Fails at start instead of accepting values that the check does not understand.
  if (types.length === 0 || field.const !== undefined) throw new Error('such a field cannot be checked')
  const wrongType = `must be ${types.map(withArticle).join(' or ')}`
  const faultsInArray = arrayChecker(field)
  const faultsInObject = objectChecker(field as ObjectSchema | MapSchema)
  return (value) => {
    if (!types.some((type) => isOf[type](value))) return [{ field: '', problem: wrongType }]
    if (Array.isArray(value)) return faultsInArray(value)
    if (isObject(value)) return faultsInObject(value)
    const problem = typeof value === 'string' ? textProblem(value, field) : numberProblem(value, field)
    return problem === undefined ? NONE : [{ field: '', problem }]
  }
}

const NONE: Fault[] = []

function arrayChecker({ items, maxItems = Number.POSITIVE_INFINITY }: Field): (value: unknown[]) => Fault[] {
  if (items === undefined) return () => NONE
  const faultsOf = checker(items)
  return (value) =>
    value.length > maxItems
      ? [{ field: '', problem: `must have at most ${maxItems} items, and has ${value.length}` }]
      : value.flatMap((item, i) => within(String(i), faultsOf(item)))
}

function objectChecker(schema: ObjectSchema | MapSchema): (value: Record<string, unknown>) => Fault[] {
  if (typeof schema.additionalProperties === 'object') {
    const faultsOf = checker(schema.additionalProperties)
    return (value) => Object.entries(value).flatMap(([name, member]) => within(name, faultsOf(member)))
  }
  const { properties, required = [] } = schema as ObjectSchema
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

/** Finds texts that cannot be stored, and that some databases refuse in a query. */
export const unstorable = (value: unknown, names: readonly string[]): Fault[] =>
  names
    .filter((name) => {
      const member = Reflect.get(Object(value), name)
      return typeof member === 'string' && !isPlainText(member)
    })
    .slice(0, MAX_NAMED)
    .map((field) => ({ field, problem: NOT_PLAIN }))

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

function numberProblem(number: unknown, { minimum, maximum }: Field): string | undefined {
  if (typeof number !== 'number') return undefined
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
