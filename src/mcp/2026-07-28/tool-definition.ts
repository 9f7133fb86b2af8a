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
import { READ_ONLY } from '../protocol-version.ts'
import { type Argument, argumentsOf, argumentsSchema } from './arguments.ts'
import { longFields } from './bounded-page.ts'

export function toolDefinition(resource: Resource) {
  const args = argumentsOf(resource)
  return {
    name: resource.tool.name,
    title: resource.tool.title,
    description: descriptionOf(resource, args),
    inputSchema: argumentsSchema(args),
    outputSchema: outputSchema(resource),
    annotations: READ_ONLY,
  }
}

function descriptionOf({ list, tool }: Resource, args: readonly Argument[]): string {
  const time = list === undefined ? " Also gives the time now and today's date." : ''
  const dates = args.some(({ isMoment = false }) => isMoment)
    ? " A date such as 2026-11-20 is its beginning in the workspace's timezone."
    : ''
  return tool.description + time + dates
}

/** Maps each member of the body to the schema of the object that it holds, alone or in an array. */
const membersOf = ({ body, schemas }: Resource) =>
  Object.entries((body as Partial<ObjectSchema>).properties ?? {}).map(([member, field]) => {
    const row = field.items ?? field
    return { member, field, row: (row.$ref === undefined ? row : schemas[row.$ref]) as Partial<ObjectSchema> }
  })

/** Kept short, because models pay for each word: row members are already named in the schema of `fields`. */
function outputSchema(resource: Resource): ObjectSchema {
  const { list } = resource
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
    timezone: optional(nullableString({})),
    hasMore: optional(boolean()),
    nextCursor: optional(nullableString({})),
    ...Object.fromEntries(shapes.map(([member, shape]) => [member, optional(shape)])),
  })
}

/** Members with other people's words. Listed in `_meta`, because the published response must not change. */
export const untrustedMembers = (resource: Resource): Record<string, string[]> =>
  Object.fromEntries(
    membersOf(resource).map(({ member, row: { properties = {} } }) => [
      member,
      Object.keys(properties).filter((name) => isFreeText(properties[name])),
    ]),
  )

const isFreeText = ({ type, format, enum: choices }: Field = {}) =>
  [type].flat().includes('string') && format !== 'date-time' && choices === undefined
