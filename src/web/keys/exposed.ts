import type { Field, ObjectSchema } from '../../lib/schema.ts'
import type { Resource } from '../../resources/define.ts'

/** A permission in words: what it lets a key read, field by field. */
export interface ExposedData {
  /** The permission. */
  name: string
  meaning: string
  fields: { name: string; description: string }[]
}

/** What each permission exposes, as the resources' own definitions say. */
export const exposedData = (resources: readonly Resource[]): ExposedData[] =>
  resources.map((resource) => ({
    name: resource.permission,
    meaning: resource.summary,
    fields: fieldsOf(resource),
  }))

/** Of a body such as `{tasks: [Task]}`, the fields of a task. */
function fieldsOf({ body, schemas }: Resource): ExposedData['fields'] {
  const described = (field: Field): ExposedData['fields'] =>
    Object.entries(propertiesOf(field)).flatMap(([name, { $ref, items, ...property }]) => {
      const inner = $ref ?? items?.$ref
      const schema = inner === undefined ? items : schemas[inner]
      const below = schema === undefined ? [] : described(schema)
      return below.length > 0 ? below : [{ name, description: property.description ?? '' }]
    })
  return described(body)
}

const propertiesOf = (field: Field): Record<string, Field> =>
  'properties' in field ? (field as ObjectSchema).properties : {}
