import { InvalidPositionError } from '../../database/keyset.ts'
import type { Admission } from '../../database/store.ts'
import { escapedJson } from '../../lib/escaped-json.ts'
import { type MaybePromise, whenReady } from '../../lib/maybe-promise.ts'
import type { BodyPart } from '../../operation.ts'
import type { Resource } from '../../resources/define.ts'
import type { ListShape } from '../../resources/list.ts'
import type { ResponseCache } from '../../resources/response-cache.ts'
import { tailText } from '../json-rpc.ts'
import { createToolLists } from '../protocol-version.ts'
import { argumentsOf, argumentsReader } from './arguments.ts'
import { readBoundedPage } from './bounded-page.ts'
import { CachedPage, CachedResult, resultHead } from './cached-result.ts'
import { dateIn, NO_CLOCK, todayIs, type WorkspaceClock, workspaceClock } from './clock.ts'
import { InvalidArgumentsError, ToolError, toolNotFound } from './errors.ts'
import { changedCursor, encodeCursor, pageRequests } from './page-request.ts'
import { CACHING, SERVER_INFO } from './protocol.ts'
import { toolDefinition, untrustedMembers } from './tool-definition.ts'

/** Throws a ToolError or an InvalidArgumentsError. */
type CallTool = (given: unknown, admission: Admission) => MaybePromise<readonly BodyPart[]>

export class Tools {
  readonly #cache: ResponseCache
  readonly #tools: ReadonlyMap<string, { resource: Resource; call: CallTool }>
  readonly list: (permissions: ReadonlySet<string>) => string

  constructor(resources: readonly Resource[], cache: ResponseCache) {
    this.#cache = cache
    this.list = createToolLists(resources, (allowed) =>
      tailText({ resultType: 'complete', tools: allowed.map(toolDefinition), ...CACHING, _meta: SERVER_INFO }),
    )
    this.#tools = new Map(
      resources.map((resource) => {
        const { list, readPage } = resource
        const call = list && readPage ? listTool({ ...resource, list, readPage }, cache) : wholeTool(resource, cache)
        return [resource.tool.name, { resource, call }]
      }),
    )
  }

  /** Invalid arguments are a result too, so that a model can correct its call. */
  call(name: string, given: unknown, admission: Admission): MaybePromise<readonly BodyPart[]> {
    const tool = this.#tools.get(name)
    if (tool === undefined) throw toolNotFound(false)
    if (!admission.permissions.has(tool.resource.permission)) throw toolNotFound(true)
    try {
      const parts = tool.call(given, admission)
      return parts instanceof Promise ? parts.catch((error) => this.#explain(error, admission)) : parts
    } catch (error) {
      return this.#explain(error, admission)
    }
  }

  async #explain(error: unknown, admission: Admission): Promise<readonly BodyPart[]> {
    if (error instanceof ToolError) return [error.tail]
    if (!(error instanceof InvalidArgumentsError)) throw error
    const clock = await workspaceClock(this.#cache, admission)
    return [error.toToolError(todayIs(clock, admission.now)).tail]
  }
}

const unavailable = () => new ToolError('The workspace is not available: it was archived or deleted.')

const questionKey = (tool: string, asked: object) => `2026-07-28 ${tool} ${JSON.stringify(asked)}`

/** Cached answers are sent with the current time. */
function listTool(
  resource: Resource & { list: ListShape; readPage: NonNullable<Resource['readPage']> },
  cache: ResponseCache,
): CallTool {
  const { list, tool, readPage, whenUnavailable } = resource
  const { member } = list
  const args = argumentsOf(resource)
  const readArguments = argumentsReader(args)
  const requestOf = pageRequests(tool.name, list, args)
  const head = resultHead(untrustedMembers(resource))

  function emptyPage(key: string): CachedPage {
    if (whenUnavailable === undefined) throw unavailable()
    return new CachedPage(key, { member, timezone: null, nextCursor: null, rows: Buffer.alloc(0) })
  }

  return (given, admission) => {
    const { ifNoneMatch, ...asked } = readArguments(given)
    const key = questionKey(tool.name, asked)
    const cached = cache.ask(key, admission, async (store, viewpoint) => {
      const { timezone, zone } = await workspaceClock(cache, admission)
      const { request, scope } = requestOf(admission.workspaceId, asked, zone)
      const page = await readBoundedPage(list, request, (part) => readPage(store, viewpoint, part)).catch(
        throwChangedCursor,
      )
      if (page === undefined) return undefined
      const nextCursor = page.next === undefined ? null : encodeCursor(scope, page.next)
      return { value: new CachedPage(key, { member, timezone, nextCursor, rows: page.rows }), until: page.until }
    })
    return whenReady(cached, (page = emptyPage(key)) => page.parts(head, admission.now, ifNoneMatch))
  }
}

/** A forged cursor can have valid checksums and an invalid position. */
function throwChangedCursor(error: unknown): never {
  throw error instanceof InvalidPositionError ? changedCursor() : error
}

/** Returns the time, the date, and the whole body. */
function wholeTool(resource: Resource, cache: ResponseCache): CallTool {
  const { tool, whenUnavailable } = resource
  const readArguments = argumentsReader(argumentsOf(resource))
  const head = resultHead(untrustedMembers(resource))

  return (given, admission) => {
    const asked = readArguments(given)
    const cached = cache.ask(questionKey(tool.name, asked), admission, async (store, viewpoint) => {
      const clock = await workspaceClock(cache, admission)
      const reading = await resource.read(store, viewpoint, asked)
      return reading && { value: new CachedBody(clock, reading.body), until: reading.until }
    })
    return whenReady(cached, (body) => {
      if (body === undefined && whenUnavailable === undefined) throw unavailable()
      const { clock, result } = body ?? new CachedBody(NO_CLOCK, Buffer.from(JSON.stringify(whenUnavailable)))
      const now = new Date(admission.now).toISOString()
      return result.parts(head, `"asOf":"${now}","localDate":"${dateIn(clock.zone, admission.now)}"`)
    })
  }
}

class CachedBody {
  readonly clock: WorkspaceClock
  readonly result: CachedResult

  constructor(clock: WorkspaceClock, body: Buffer) {
    this.clock = clock
    this.result = new CachedResult(`,${escapedJson(body).toString('latin1', 1)}`)
  }

  get weight(): number {
    return this.result.weight
  }
}
