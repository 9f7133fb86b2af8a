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

/** A tool as `tools/list` returns it. */
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

/** With what every tool of a kind does in this version. */
function descriptionOf({ list, tool }: Resource, args: readonly Argument[]): string {
  const time = list === undefined ? " Also gives the time now and today's date." : ''
  const dates = args.some(({ isMoment = false }) => isMoment)
    ? " A date such as 2026-11-20 is its beginning in the workspace's timezone."
    : ''
  return tool.description + time + dates
}

/** The members of a resource's body, each with the schema of an object that it holds, or holds an array of. */
const membersOf = ({ body, schemas }: Resource) =>
  Object.entries((body as Partial<ObjectSchema>).properties ?? {}).map(([member, field]) => {
    const row = field.items ?? field
    return { member, field, row: (row.$ref === undefined ? row : schemas[row.$ref]) as Partial<ObjectSchema> }
  })

/**
 * The shape of a tool's responses, in few words: models pay for each. The names of a row's members are in the schema of
 * `fields`, so here only those are named that are always there.
 */
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

/**
 * The members of a resource that hold other people's words, by the member of the response: every text that is not an instant or
 * one of a few words. Listed in `_meta`, not in the response or its schema, whose shapes are published.
 */
export const untrustedMembers = (resource: Resource): Record<string, string[]> =>
  Object.fromEntries(
    membersOf(resource).map(({ member, row: { properties = {} } }) => [
      member,
      Object.keys(properties).filter((name) => isFreeText(properties[name])),
    ]),
  )

const isFreeText = ({ type, format, enum: choices }: Field = {}) =>
  [type].flat().includes('string') && format !== 'date-time' && choices === undefined
