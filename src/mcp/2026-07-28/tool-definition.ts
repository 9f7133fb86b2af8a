import {
  arrayOf,
  boolean,
  type Field,
  integer,
  type JsonType,
  nullableString,
  type ObjectSchema,
  object,
  optional,
  string,
} from '../../lib/schema.ts'
import type { Resource } from '../../resources/define.ts'
import { argumentsOf, argumentsSchema } from '../arguments.ts'
import { longFields } from '../bounded-page.ts'
import { READ_ONLY } from '../protocol-version.ts'
import { membersOf } from '../untrusted-members.ts'

export const toolDefinition = (resource: Resource) => ({
  name: resource.tool.name,
  title: resource.tool.title,
  description: descriptionOf(resource),
  inputSchema: argumentsSchema(argumentsOf(resource)),
  outputSchema: outputSchema(resource),
  annotations: READ_ONLY,
})

function descriptionOf({ list, tool: { description } }: Resource): string {
  if (list === undefined) return `${description} Also gives the time now and today's date.`
  const long = longFields(list)
  return long.length === 0 ? description : `${description} truncated names texts that were cut.`
}

/** Kept short, because models pay for each word: row members are already named in the schema of `fields`. */
function outputSchema(resource: Resource): ObjectSchema {
  const { list, countBy = [], suggests = [], tool } = resource
  const shapes = membersOf(resource).map(({ member, field, row }): [string, Field] => {
    if (row.properties === undefined) return [member, field]
    const types = new Set(Object.values(row.properties).flatMap(({ type = [] }) => type))
    const shape = {
      type: 'object',
      required: list?.always ?? row.required ?? [],
      ...(list !== undefined && longFields(list).length > 0 && { properties: { truncated: arrayOf(string()) } }),
      additionalProperties: { type: [...types] as JsonType[] },
    } as Field
    return [member, field.items === undefined ? shape : arrayOf(shape)]
  })
  if (list === undefined) return object({ asOf: string(), localDate: string(), ...Object.fromEntries(shapes) })
  return object({
    asOf: string(),
    etag: string(),
    unchanged: optional(boolean()),
    localDate: optional(string()),
    timezone: optional(nullableString({})),
    total: optional(integer()),
    totalIsMinimum: optional(boolean()),
    hasMore: optional(boolean()),
    nextCursor: optional(nullableString({})),
    ...(suggests.length > 0 && { suggestions: optional({ type: 'object' }) }),
    ...Object.fromEntries(shapes.map(([member, shape]) => [member, optional(shape)])),
    ...(countBy.length > 0 && {
      ...(tool.days !== undefined && { overdue: optional(integer()) }),
      counts: optional(arrayOf({ type: 'object' })),
      more: optional(integer()),
    }),
  })
}
