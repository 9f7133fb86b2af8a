import type { Field, ObjectSchema } from '../lib/schema.ts'
import type { Resource } from '../resources/define.ts'

/** Maps each member of the body to the schema of its object, or of the objects in its array. */
export const bodyMembers = ({ body, schemas }: Resource) =>
  Object.entries((body as Partial<ObjectSchema>).properties ?? {}).map(([member, field]) => {
    const row = field.items ?? field
    return { member, field, row: (row.$ref === undefined ? row : schemas[row.$ref]) as Partial<ObjectSchema> }
  })

/** Members of a result with other people's words, and their members. */
export type Untrusted = Readonly<Record<string, readonly string[]>>

export const untrustedMembers = (resource: Resource): Untrusted =>
  Object.fromEntries(
    bodyMembers(resource).map(({ member, row: { properties = {} } }) => [
      member,
      Object.keys(properties).filter((name) => isFreeText(properties[name])),
    ]),
  )

const isFreeText = ({ type, format, enum: choices, items }: Field = {}): boolean =>
  items ? isFreeText(items) : [type].flat().includes('string') && format !== 'date-time' && choices === undefined
