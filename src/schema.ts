import Type, { type TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import Format from 'typebox/format'
import { toInstant } from './instant.ts'

Format.Set('date-time', (text) => toInstant(text) !== undefined)

/** A string that may be null; the key itself is always there. */
export const nullableString = (options: { description: string; format?: 'date-time' | 'email' }) =>
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
    additionalProperties?: string[]
    format?: string
    type?: string | string[]
    limit?: number
    allowedValues?: string[]
  }
  message: string
}

/** Makes the check of a schema: every fault in words that name the field and what it should be; none if it fits. */
export function checker(schema: TSchema): (value: unknown) => Fault[] {
  const compiled = Compile(schema)
  return (value) => (compiled.Check(value) ? [] : (compiled.Errors(value) as Violation[]).flatMap(toFaults))
}

function toFaults({ keyword, instancePath, params, message }: Violation): Fault[] {
  const field = instancePath.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')
  switch (keyword) {
    case 'required':
      return each(params.requiredProperties, 'is required')
    case 'additionalProperties':
      return each(params.additionalProperties, 'is not known here')
    case 'boolean':
      return [] // says once more what additionalProperties says
    case 'format':
      return [{ field, problem: formats[params.format ?? ''] ?? message }]
    case 'minLength':
      return [{ field, problem: 'must not be empty' }]
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
