import type { Admission } from '../../database/store.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { BodyPart } from '../../operation.ts'
import type { Resource } from '../../resources/define.ts'
import type { ResponseCache } from '../../resources/response-cache.ts'
import { tailText } from '../json-rpc.ts'
import { createToolLists } from '../tool-lists.ts'
import { argumentsOf } from './arguments.ts'
import { toolNotFound } from './errors.ts'
import { createListTool } from './list-tool.ts'
import { CACHING, SERVER_INFO } from './protocol.ts'
import { type CallTool, toolDefinition } from './tool.ts'
import { InvalidArgumentsError, ToolError } from './tool-error.ts'
import { createWholeTool } from './whole-tool.ts'
import { todayIs, workspaceClock } from './workspace-clock.ts'

interface Tool {
  resource: Resource
  call: CallTool
}

/** One tool per resource, for keys that may read it. */
export class Tools {
  readonly #cache: ResponseCache
  readonly #tools: ReadonlyMap<string, Tool>
  /** The tail of what `tools/list` answers. */
  readonly list: (permissions: ReadonlySet<string>) => string

  constructor(resources: readonly Resource[], cache: ResponseCache) {
    this.#cache = cache
    this.list = createToolLists(resources, (allowed) =>
      tailText({ resultType: 'complete', tools: allowed.map(toolDefinition), ...CACHING, _meta: SERVER_INFO }),
    )
    this.#tools = new Map(
      resources.map((resource) => [resource.tool.name, { resource, call: createCall(resource, cache) }]),
    )
  }

  /** The parts of a result's tail; a fault of the arguments is a result too, so that a model can correct its call. */
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

function createCall(resource: Resource, cache: ResponseCache): CallTool {
  const { list, readPage } = resource
  const args = argumentsOf(resource)
  if (list === undefined || readPage === undefined) return createWholeTool(resource, args, cache)
  return createListTool({ ...resource, list, readPage }, args, cache)
}
