import Type, { type TObject } from 'typebox'
import { Compile } from 'typebox/compile'
import Format from 'typebox/format'
import System from 'typebox/system'
import { toInstant } from './instant.ts'

// Every fault is told; an object has no more fields than this.
System.Settings.Set({ maxErrors: 100 })

Format.Set('date-time', (text) => toInstant(text) !== undefined)

/** A string that may be null; the key itself is always there. */
export const nullableString = (options: { description: string; format?: 'date-time' | 'email'; maxLength?: number }) =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...options })

export interface Fault {
  /** The field or argument at fault; empty if the whole value is. */
  field: string
  problem: string
}

interface Violation {
  keyword: string
  instancePath: string
  params: {
    requiredProperties?: string[]
    format?: string
    type?: string | string[]
    limit?: number
    allowedValues?: string[]
  }
  message: string
}

/** As many unknown members as are worth naming: whoever sends more has other troubles. */
const UNKNOWN_NAMED = 20

/**
 * Makes the check of an object's schema: every fault in words that name the field and what it should be. Only a value
 * that fits has none. Members that the schema does not know are always refused, and found here, by name, before the
 * rest: TypeBox would report each of them twice and stop at its limit.
 */
export function checker(schema: TObject): (value: unknown) => Fault[] {
  const compiled = Compile({ ...schema, additionalProperties: true } as TObject)
  return (value) => {
    const faults = unknownMembers(value, schema)
    if (compiled.Check(value)) return faults
    faults.push(...(compiled.Errors(value) as Violation[]).flatMap(toFaults))
    return faults.length > 0 ? faults : [{ field: '', problem: 'is not valid' }]
  }
}

function unknownMembers(value: unknown, { properties }: TObject): Fault[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return []
  const faults: Fault[] = []
  for (const name in value) {
    if (Object.hasOwn(properties, name)) continue
    faults.push({ field: name, problem: 'is not known here' })
    if (faults.length === UNKNOWN_NAMED) break
  }
  return faults
}

function toFaults({ keyword, instancePath, params, message }: Violation): Fault[] {
  const field = instancePath.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')
  switch (keyword) {
    case 'required':
      return each(params.requiredProperties, 'is required')
    case 'format':
      return [{ field, problem: formats[params.format ?? ''] ?? message }]
    case 'minLength':
      return [{ field, problem: 'must not be empty' }]
    case 'maxLength':
      return [{ field, problem: `must be at most ${params.limit} characters` }]
    case 'type':
      return [{ field, problem: `must be ${[params.type ?? []].flat().map(withArticle).join(' or ')}` }]
    case 'minimum':
      return [{ field, problem: `must be at least ${params.limit}` }]
    case 'maximum':
      return [{ field, problem: `must be at most ${params.limit}` }]
    case 'enum':
      return [{ field, problem: `must be one of ${params.allowedValues?.join(', ')}` }]
    default:
      return [{ field, problem: message }]
  }
}

const each = (fields: string[] | undefined, problem: string) => (fields ?? []).map((field) => ({ field, problem }))

const formats: Record<string, string> = {
  'date-time': 'must be a date and time that exists, with an offset, such as 2026-11-15T09:00:00Z',
  email: 'must be an email address',
}

const withArticle = (type: string) => (type === 'null' ? type : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`)
