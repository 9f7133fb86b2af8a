import { isObject } from '../../lib/checker.ts'
import { isEmail } from '../../lib/email.ts'
import { toInstant } from '../../lib/instant.ts'

/** A schema as the published documents have it: JSON, where `lib/schema.ts` has typed values. */
export interface JsonSchema {
  $ref?: string
  anyOf?: JsonSchema[]
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  format?: string
  required?: string[]
  properties?: Record<string, JsonSchema>
  additionalProperties?: boolean | JsonSchema
  items?: JsonSchema
  maxItems?: number
}

/** Returns a schema of the document by its reference. */
type Resolve = (ref: string) => JsonSchema

/**
 * What is wrong with a value, if anything: the first fault. Other than `lib/checker.ts`, which judges what is given to us, it
 * lets unknown members pass where the schema does: a newer server may have more of them.
 */
export function schemaFault(schema: JsonSchema, value: unknown, resolve: Resolve, at = ''): string | undefined {
  const { $ref, anyOf } = schema
  if ($ref !== undefined) return schemaFault(resolve($ref), value, resolve, at)
  if (anyOf !== undefined) {
    const faults = anyOf.map((each) => schemaFault(each, value, resolve, at))
    return faults.includes(undefined) ? undefined : faults[0]
  }
  const where = at === '' ? 'the body' : at
  if (schema.type !== undefined) {
    const types = [schema.type].flat()
    if (!types.some((type) => isOfType(type, value))) return `${where} must be of type ${types.join(' or ')}`
  }
  if ('const' in schema && value !== schema.const) return `${where} must be ${JSON.stringify(schema.const)}`
  if (schema.enum !== undefined && !schema.enum.includes(value)) return `${where} is none of the allowed values`
  if (typeof value === 'string' && schema.format !== undefined && formats[schema.format]?.(value) === false)
    return `${where} must be in the format ${schema.format}`
  if (Array.isArray(value)) return arrayFault(schema, value, resolve, at)
  return isObject(value) ? objectFault(schema, value, resolve, at) : undefined
}

function arrayFault({ items, maxItems }: JsonSchema, value: unknown[], resolve: Resolve, at: string) {
  if (maxItems !== undefined && value.length > maxItems)
    return `${at || 'the body'} must have at most ${maxItems} items, and has ${value.length}`
  if (items === undefined) return undefined
  return first(
    value.map((_, i) => i),
    (i) => schemaFault(items, value[i], resolve, `${at}[${i}]`),
  )
}

function objectFault(schema: JsonSchema, value: Record<string, unknown>, resolve: Resolve, at: string) {
  const { required = [], properties = {}, additionalProperties = true } = schema
  const memberAt = (name: string) => (at === '' ? name : `${at}.${name}`)
  const missing = required.find((name) => !Object.hasOwn(value, name))
  if (missing !== undefined) return `${memberAt(missing)} is missing`
  return first(Object.keys(value), (name) => {
    const member = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    if (member === true || member === undefined) return undefined
    if (member === false) return `${memberAt(name)} is not in the contract`
    return schemaFault(member, value[name], resolve, memberAt(name))
  })
}

function first<T>(values: readonly T[], faultOf: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const fault = faultOf(value)
    if (fault !== undefined) return fault
  }
  return undefined
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'object') return isObject(value)
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  return type === 'null' ? value === null : typeof value === type
}

const formats: Record<string, (text: string) => boolean> = {
  'date-time': (text) => toInstant(text) !== undefined,
  email: isEmail,
  // RFC 3986: without the characters that no URI may have.
  'uri-reference': (text) => /^[^\s<>"{}|\\^`]*$/.test(text) && URL.canParse(text, 'http://base.invalid'),
}
