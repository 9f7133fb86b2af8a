import type { RequestNotes } from '../api/http-message.ts'
import type { Admission } from '../database/admission.ts'
import { onlySentence } from '../keys/only.ts'
import { Lru } from '../lib/lru.ts'
import { isList, type Resource } from '../resources/define.ts'
import type { ResponseCache } from '../resources/response-cache.ts'
import { createArgumentParser, isBare } from './arguments.ts'
import { InvalidArgumentsError } from './invalid-arguments.ts'
import { listTool } from './list-tool.ts'
import { type ResultBytes, type ResultFormat, toResultBytes } from './result-bytes.ts'
import { todayIs, workspaceZone } from './workspace-zone.ts'

/** How a protocol version formats tools, their results and their errors. */
export interface ToolFormat extends ResultFormat {
  definition(resource: Resource): { description: string }
  list(tools: readonly object[]): object
  /** Returns the whole body. Lists are queried instead, unless the version returns it for a call without arguments. */
  bodyTool(resource: Resource, cache: ResponseCache): (admission: Admission) => Promise<ResultBytes>
  /** There is only one page of tools. */
  cursorRefused(): Error
  nameRefused(): Error
  /** `forbidden` is the resource of that name that the key may not read, if any. */
  noTool(forbidden: Resource | undefined): Error
  /** `today` is a sentence with the date, if a date was wrong. */
  refuse(error: InvalidArgumentsError, today: string | undefined): ResultBytes
}

export type Method = (
  params: Record<string, unknown>,
  admission: Admission,
  request: RequestNotes,
) => ResultBytes | Promise<ResultBytes>

/** Each takes up to about a kilobyte per tool. Those of other permissions are serialised for each request. */
const CACHED_RESULTS = 100

/** A result about the tools that a key may call, serialised once for each set of permissions. */
export function byPermissions(resources: readonly Resource[], toResult: (allowed: readonly Resource[]) => object) {
  const results = new Lru<ResultBytes, ReadonlySet<string>>(CACHED_RESULTS)
  return (permissions: ReadonlySet<string>): ResultBytes =>
    results.getOrCreate(permissions, () => toResultBytes(toResult(allowedOf(resources, permissions))))
}

export const allowedOf = (resources: readonly Resource[], permissions: ReadonlySet<string>): Resource[] =>
  resources.filter(({ permission }) => permissions.has(permission))

/** One tool per resource. Arguments and queries are handled in the same way in every protocol version. */
export function toolMethods(resources: readonly Resource[], cache: ResponseCache, format: ToolFormat) {
  const listFor = byPermissions(resources, (allowed) => format.list(allowed.map(format.definition)))
  const resourceOf = new Map(resources.map((resource) => [resource.tool.name, resource]))
  /** Created on first use, so that a start does not wait for the tools of all resources. */
  const tools = new Lru<ReturnType<typeof createTool>>(resources.length)

  const list: Method = ({ cursor }, { permissions, only }) => {
    if (cursor !== undefined) throw format.cursorRefused()
    return only === null ? listFor(permissions) : listForLimited(allowedOf(resources, permissions), only)
  }

  /** Few keys are limited, so nothing is cached for them. */
  function listForLimited(allowed: readonly Resource[], only: string): ResultBytes {
    const limited = allowed.map((resource) => {
      const definition = format.definition(resource)
      const limit = resource.list === undefined ? '' : onlySentence(resource.list, only)
      return limit === '' ? definition : { ...definition, description: `${definition.description} ${limit}` }
    })
    return toResultBytes(format.list(limited))
  }

  const call: Method = async ({ name, arguments: given }, admission, request) => {
    if (typeof name !== 'string') throw format.nameRefused()
    const resource = resourceOf.get(name)
    request.toolName = resource === undefined ? UNKNOWN : name
    if (resource === undefined) throw format.noTool(undefined)
    const { argumentNames, callTool } = tools.getOrCreate(name, () => createTool(resource, cache, format))
    request.toolArguments = { declared: argumentNames, given }
    if (!admission.permissions.has(resource.permission)) throw format.noTool(resource)
    try {
      const result = await callTool(given, admission)
      if (result === format.unavailable) request.embedded = { code: 'workspace_not_found', isError: true }
      return result
    } catch (error) {
      return explain(error, admission, request)
    }
  }

  async function explain(error: unknown, admission: Admission, request: RequestNotes): Promise<ResultBytes> {
    if (!(error instanceof InvalidArgumentsError)) throw error
    const zone = error.isAboutDates ? await workspaceZone(cache, admission) : undefined
    const result = format.refuse(error, zone && todayIs(zone, admission.now))
    request.embedded = { code: 'invalid_params', isError: true }
    return result
  }

  return { 'tools/list': list, 'tools/call': call }
}

function createTool(resource: Resource, cache: ResponseCache, format: ToolFormat) {
  const { names: argumentNames, parse } = createArgumentParser(resource)
  const callBody = format.bodyTool(resource, cache)
  const callList = isList(resource) ? listTool(resource, cache, format) : undefined
  /** Throws at once if the arguments are invalid. */
  const callTool = (given: unknown, admission: Admission): Promise<ResultBytes> => {
    if (callList === undefined) parse(given)
    else if (format.isForModels || !isBare(given)) return callList(parse(given), admission)
    return callBody(admission)
  }
  return { argumentNames, callTool }
}

export const UNAVAILABLE = 'The workspace is not available: it was archived or deleted.'

/** Logged instead of client-invented names. */
export const UNKNOWN = '(unknown)'
