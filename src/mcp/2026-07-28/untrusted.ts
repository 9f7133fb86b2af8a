import type { Field, ObjectSchema } from '../../lib/schema.ts'
import type { Resource } from '../../resources/define.ts'

/**
 * The members of a resource that hold other people's words, by the member of the response: every text that is not an instant or
 * one of a few words. Said in `_meta`, not in the response or its schema, whose shapes are published.
 */
export function untrustedMembers({ body, schemas }: Pick<Resource, 'body' | 'schemas'>): Record<string, string[]> {
  const { properties = {} } = body as Partial<ObjectSchema>
  return Object.fromEntries(
    Object.entries(properties).map(([member, field]) => {
      const { properties: members = {} } = resolved(field.items ?? field, schemas) as Partial<ObjectSchema>
      return [member, Object.keys(members).filter((name) => isFreeText(members[name]))]
    }),
  )
}

export const resolved = (field: Field, schemas: Resource['schemas']): Field =>
  field.$ref === undefined ? field : (schemas[field.$ref] ?? {})

const isFreeText = ({ type, format, enum: choices }: Field = {}) =>
  [type].flat().includes('string') && format !== 'date-time' && choices === undefined
