import { localDate } from '../../lib/local-dates.ts'
import {
  arrayOf,
  boolean,
  type Field,
  type Fields,
  integer,
  mapOf,
  nullableString,
  type ObjectSchema,
  object,
  optional,
  string,
} from '../../lib/schema.ts'
import type { Zone } from '../../lib/zone.ts'
import type { List } from '../../lists/definition.ts'
import { alwaysIncluded, type Resource } from '../../resources/define.ts'
import { argumentsOf, argumentsSchema } from '../arguments.ts'
import { longFields } from '../bounded-page.ts'
import { endOfToday } from '../dates.ts'
import { escapedJson } from '../escaped-json.ts'
import { type InvalidArgumentsError, quotedNames } from '../invalid-arguments.ts'
import { READ_ONLY } from '../protocol-version.ts'
import { CachedResult, membersIn, toMembers, toResultBytes } from '../result-bytes.ts'
import { type ToolFormat, UNAVAILABLE } from '../tools.ts'
import { bodyMembers, type Untrusted, untrustedMembers } from '../untrusted-members.ts'
import { workspaceZone } from '../workspace-zone.ts'
import { protocolError } from './errors.ts'
import { CACHING, PROTOCOL_VERSION, SERVER_INFO } from './protocol.ts'

/** A result that a model can read and act on. The message is public. */
const toolError = (text: string) =>
  toResultBytes({ resultType: 'complete', _meta: SERVER_INFO, content: [{ type: 'text', text }], isError: true })

/** `untrusted` names the members with other people's words. */
function textStart(untrusted?: Untrusted) {
  const meta = JSON.stringify({ ...SERVER_INFO, 'vitrine/untrusted': untrusted })
  return `{"resultType":"complete","_meta":${meta},"content":[{"type":"text","text":"`
}

const bodyTool: ToolFormat['bodyTool'] = (resource, cache) => {
  const name = `${PROTOCOL_VERSION} ${resource.tool.name}`
  const bodyStart = textStart(untrustedMembers(resource))
  const toResult = (zone: Zone, now: number, body: Buffer) => {
    const members = toMembers({ localDate: localDate(zone, now) }) + membersIn(escapedJson(body.toString()))
    return new CachedResult(toolFormat, bodyStart, members)
  }
  return async (admission) => {
    const { now } = admission
    const result = await cache.getOrRead(name, admission, async (store, scope) => {
      const { zone } = await workspaceZone(cache, admission)
      const read = await resource.read(store, scope)
      if (read === undefined) return undefined
      return { value: toResult(zone, now, read.body), until: Math.min(read.until, endOfToday(zone, now)) }
    })
    return result?.bytesAt(now) ?? toolFormat.unavailable
  }
}

/** Invalid arguments are a result too, so that a model can correct its call. */
function refuse({ faults, unknown, knownArguments }: InvalidArgumentsError, today: string | undefined) {
  const lines = [
    'Nothing was read: correct the arguments and call again.',
    ...(unknown.length === 0 ? [] : [`- ${quotedNames(unknown)} must be left out. ${knownArguments}.`]),
    ...faults.map(({ argument, fix }) => `- ${argument} ${fix}.`),
    ...(today === undefined ? [] : [today]),
  ]
  return toolError(lines.join('\n'))
}

export const toolDefinition = (resource: Resource) => ({
  name: resource.tool.name,
  title: resource.tool.title,
  description: descriptionOf(resource),
  inputSchema: argumentsSchema(argumentsOf(resource)),
  outputSchema: outputSchema(resource, BRIEF),
  annotations: READ_ONLY,
})

function descriptionOf({ list, tool: { description } }: Resource): string {
  if (list === undefined) return `${description} Also returns the current time and today's date.`
  const isCut = longFields(list).length > 0
  return isCut ? `${description} In a ${list.singular}, truncated lists texts that were cut.` : description
}

/** The parts of an output schema that may be long. */
interface OutputDetail {
  row(resource: Resource, field: Field, row: Partial<ObjectSchema>): Field
  suggestions(list: List): Field
  group(list: List): Field
}

const truncatedIn = ({ list }: Resource): Fields =>
  list !== undefined && longFields(list).length > 0 ? { truncated: optional(arrayOf(string())) } : {}

const requiredIn = ({ list }: Resource, row: Partial<ObjectSchema>): string[] =>
  list === undefined ? (row.required ?? []) : alwaysIncluded(list)

/** Models pay for each word, and row members are already named in the schema of `fields`. */
const BRIEF: OutputDetail = {
  row(resource, _, row) {
    const truncated = truncatedIn(resource)
    return {
      type: 'object',
      required: requiredIn(resource, row),
      ...(Object.keys(truncated).length > 0 && { properties: truncated }),
    } as Field
  },
  suggestions: () => ({ type: 'object' }),
  group: () => ({ type: 'object' }),
}

/** Escaped texts may be longer. */
const withoutLengths = (fields: Fields = {}): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, { maxLength: _, ...field }]) => [name, field]))

/** For programs, in the OpenAPI document: generators write types of it. */
const FULL: OutputDetail = {
  row: (resource, field, row) =>
    resource.list === undefined
      ? field
      : ({
          ...row,
          required: requiredIn(resource, row),
          properties: { ...withoutLengths(row.properties), ...truncatedIn(resource) },
        } as Field),
  suggestions: ({ suggests, search }) =>
    object({
      ...Object.fromEntries(Object.keys(suggests).map((name) => [name, optional(arrayOf(string()))])),
      ...(search.length > 0 && { query: optional(mapOf(integer())) }),
    }),
  group: ({ groupLabels = {} }) =>
    object({
      value: nullableString({}),
      count: integer(),
      overdue: optional(integer()),
      ...Object.fromEntries(Object.values(groupLabels).map(({ property }) => [property, optional(string())])),
    }),
}

function outputSchema(resource: Resource, { row: rowSchema, suggestions, group }: OutputDetail): ObjectSchema {
  const { list, tool } = resource
  const shapes = bodyMembers(resource).map(({ member, field, row }): [string, Field] => {
    if (row.properties === undefined) return [member, field]
    const shape = rowSchema(resource, field, row)
    return [member, field.items === undefined ? shape : arrayOf(shape)]
  })
  if (list === undefined) return object({ asOf: string(), localDate: string(), ...Object.fromEntries(shapes) })
  const hasChanges = list.rows === undefined
  return object({
    asOf: string(),
    etag: string(),
    unchanged: optional(boolean()),
    localDate: optional(string()),
    timezone: optional(nullableString({})),
    ...(hasChanges && { since: optional(string()) }),
    total: optional(integer()),
    totalIsMinimum: optional(boolean()),
    hasMore: optional(boolean()),
    nextCursor: optional(nullableString({})),
    ...(Object.keys(list.suggests).length + list.search.length > 0 && { suggestions: optional(suggestions(list)) }),
    notFound: optional(arrayOf(string())),
    ...Object.fromEntries(shapes.map(([member, shape]) => [member, optional(shape)])),
    ...(hasChanges && { gone: optional(arrayOf(string())), goneIsPartial: optional(boolean()) }),
    ...(Object.keys(list.countBy).length > 0 && {
      ...(tool.days !== undefined && { overdue: optional(integer()) }),
      counts: optional(arrayOf(group(list))),
      more: optional(integer()),
    }),
  })
}

/** Each tool's arguments, if it takes any, and result. */
export function toolSchemas(resource: Resource): { arguments: Fields; result: Fields } {
  const name = resource.tool.name.replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())
  const args = argumentsOf(resource)
  return {
    arguments: args.length === 0 ? {} : { [`${name}Arguments`]: argumentsSchema(args) },
    result: { [`${name}Result`]: outputSchema(resource, FULL) },
  }
}

export const toolFormat: ToolFormat = {
  version: PROTOCOL_VERSION,
  isForModels: true,
  unavailable: toolError(UNAVAILABLE),
  textStart,
  definition: toolDefinition,
  list: (tools) => ({ resultType: 'complete', tools, ...CACHING, _meta: SERVER_INFO }),
  bodyTool,
  cursorRefused: () => protocolError('invalid_params', 'There is only one page of tools; leave params.cursor out.'),
  nameRefused: () => protocolError('invalid_params', 'params.name must be the name of a tool, as a string.'),
  // Does not reveal whether the tool exists or the key may not use it.
  noTool: (forbidden) =>
    protocolError('tool_not_found', 'No tool has this name for this key; tools/list shows the tools.', {
      isForbidden: forbidden !== undefined,
    }),
  refuse,
}
