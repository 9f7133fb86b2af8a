import {
  arrayOf,
  boolean,
  type Field,
  type JsonType,
  nullableString,
  type ObjectSchema,
  object,
  optional,
  string,
} from '../../lib/schema.ts'
import type { Resource } from '../../resources/define.ts'
import type { ListShape } from '../../resources/pages.ts'
import { longFields } from './bounded-page.ts'
import { resolved } from './untrusted.ts'

/**
 * What the responses of a tool look like, in few words: models pay for each. The names of a row's members are in the schema of
 * `fields`, so here only those are named that are always there.
 */
export function outputSchema({ body, schemas, list }: Pick<Resource, 'body' | 'schemas' | 'list'>): ObjectSchema {
  const { properties = {} } = body as Partial<ObjectSchema>
  const shapes = Object.entries(properties).map(([member, field]) => [member, shapeOf(field, schemas, list)])
  if (list === undefined) return object({ asOf: string(), localDate: string(), ...Object.fromEntries(shapes) })
  return object({
    asOf: string(),
    etag: string(),
    unchanged: optional(boolean()),
    timezone: optional(nullableString({})),
    hasMore: optional(boolean()),
    nextCursor: optional(nullableString({})),
    ...Object.fromEntries(shapes.map(([member, shape]) => [member, optional(shape as Field)])),
  })
}

function shapeOf(field: Field, schemas: Resource['schemas'], list?: ListShape): Field {
  if (field.items !== undefined) return arrayOf(shapeOf(field.items, schemas, list))
  const { properties, required = [] } = resolved(field, schemas) as Partial<ObjectSchema>
  if (properties === undefined) return field
  const types = new Set(Object.values(properties).flatMap(({ type = [] }) => type))
  return {
    type: 'object',
    required: list?.always ?? required,
    ...(list !== undefined && longFields(list).length > 0 && { properties: { truncated: arrayOf(string()) } }),
    additionalProperties: { type: [...types] as JsonType[] },
  } as Field
}
