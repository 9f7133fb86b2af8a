import type { BodyPart, RequestNotes } from '../api/http-message.ts'
import type { Admission } from '../database/store.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import { RecentlyUsed } from '../lib/recently-used.ts'
import type { Resource } from '../resources/define.ts'
import type { ResponseCache } from '../resources/response-cache.ts'
import { argumentsOf, argumentsReader, isBare } from './arguments.ts'
import type { ResultFormat } from './cached-result.ts'
import { InvalidArgumentsError } from './invalid-arguments.ts'
import { tailText } from './json-rpc.ts'
import { isList, listTool } from './list-tool.ts'
import { todayIs, workspaceZone } from './workspace-zone.ts'

/** The parts of a result's tail: see `resultTail`. */
export type Parts = readonly BodyPart[]

/** How a protocol version formats tools, their results and their errors. */
export interface ToolFormat extends ResultFormat {
  definition(resource: Resource): object
  list(tools: readonly object[]): object
  wholeReader(resource: Resource, cache: ResponseCache): (admission: Admission) => MaybePromise<Parts>
  /** There is only one page of tools. */
  cursorRefused(): Error
  nameRefused(): Error
  /** `forbidden` is the resource of that name that the key may not read, if any. */
  noTool(forbidden: Resource | undefined): Error
  /** `today` is a sentence with the date, if a date was wrong. */
  refuse(error: InvalidArgumentsError, today: string | undefined): Parts
}

type CallTool = (given: unknown, admission: Admission) => MaybePromise<Parts>

export type Method = (
  params: Record<string, unknown>,
  admission: Admission,
  request: RequestNotes,
) => MaybePromise<Parts>

/** One tool per resource. Arguments and queries are handled in the same way in every protocol version. */
export function toolMethods(resources: readonly Resource[], cache: ResponseCache, format: ToolFormat) {
  const lists = new WeakMap<ReadonlySet<string>, Parts>()
  const resourceOf = new Map(resources.map((resource) => [resource.tool.name, resource]))
  /** Created on first use, so that a start does not wait for the tools of all resources. */
  const tools = new RecentlyUsed<ReturnType<typeof createTool>>(resources.length)

  /** Lists only the tools that a key may call, serialised once for each set of permissions. */
  const list: Method = ({ cursor }, { permissions }) => {
    if (cursor !== undefined) throw format.cursorRefused()
    const known = lists.get(permissions)
    if (known !== undefined) return known
    const allowed = resources.filter(({ permission }) => permissions.has(permission))
    const parts = [tailText(format.list(allowed.map(format.definition)))]
    lists.set(permissions, parts)
    return parts
  }

  const call: Method = ({ name, arguments: given }, admission, request) => {
    if (typeof name !== 'string') throw format.nameRefused()
    const resource = resourceOf.get(name)
    request.toolName = resource === undefined ? UNKNOWN : name
    if (resource === undefined) throw format.noTool(undefined)
    const { argumentNames, callTool } = tools.getOrCreate(name, () => createTool(resource, cache, format))
    request.toolArguments = { declared: argumentNames, given }
    if (!admission.permissions.has(resource.permission)) throw format.noTool(resource)
    try {
      const parts = callTool(given, admission)
      if (!(parts instanceof Promise)) return noted(parts, request)
      return parts.then(
        (ready) => noted(ready, request),
        (error) => explain(error, admission, request),
      )
    } catch (error) {
      return explain(error, admission, request)
    }
  }

  function noted(parts: Parts, request: RequestNotes): Parts {
    if (parts === format.unavailable) request.embedded = { code: 'workspace_not_found', isError: true }
    return parts
  }

  async function explain(error: unknown, admission: Admission, request: RequestNotes): Promise<Parts> {
    if (!(error instanceof InvalidArgumentsError)) throw error
    const zone = error.isAboutDates ? await workspaceZone(cache, admission) : undefined
    const parts = format.refuse(error, zone && todayIs(zone, admission.now))
    request.embedded = { code: 'invalid_params', isError: true }
    return parts
  }

  return { 'tools/list': list, 'tools/call': call }
}

const createTool = (resource: Resource, cache: ResponseCache, format: ToolFormat) => ({
  argumentNames: argumentsOf(resource).map(({ name }) => name),
  callTool: createCall(resource, cache, format),
})

function createCall(resource: Resource, cache: ResponseCache, format: ToolFormat): CallTool {
  const readArguments = argumentsReader(resource)
  const readWhole = format.wholeReader(resource, cache)
  if (!isList(resource))
    return (given, admission) => {
      readArguments(given)
      return readWhole(admission)
    }
  const callList = listTool(resource, cache, format)
  return (given, admission) =>
    !format.isForModels && isBare(given) ? readWhole(admission) : callList(readArguments(given), admission)
}

/** Logged instead of client-invented names. */
export const UNKNOWN = '(unknown)'
