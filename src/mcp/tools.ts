import type { Admission } from '../database/store.ts'
import type { MaybePromise } from '../lib/maybe-promise.ts'
import type { BodyPart } from '../operation.ts'
import type { Resource } from '../resources/define.ts'
import type { ResponseCache } from '../resources/response-cache.ts'
import { isList } from './answer.ts'
import { argumentsReader, isBare, type NormalisedArguments } from './arguments.ts'
import type { ResultForm } from './cached-result.ts'
import { todayIs, workspaceClock } from './clock.ts'
import { InvalidArgumentsError } from './invalid-arguments.ts'
import { tailText } from './json-rpc.ts'
import { listTool } from './list-tool.ts'

/** The parts of a result's tail: see `resultTail`. */
export type Parts = readonly BodyPart[]

/** What a protocol version makes of tools, their results and their errors. */
export interface ToolForm extends ResultForm {
  definition(resource: Resource): object
  list(tools: readonly object[]): object
  wholeReader(
    resource: Resource,
    cache: ResponseCache,
  ): (admission: Admission, asked?: NormalisedArguments) => MaybePromise<Parts>
  /** `forbidden` is the resource that the key may not read, if there is one of that name. */
  noTool(forbidden: Resource | undefined): Error
  /** `today` is a sentence with the date, if a date was wrong. */
  refuse(error: InvalidArgumentsError, today: string | undefined): Parts
}

type CallTool = (given: unknown, admission: Admission) => MaybePromise<Parts>

/** One tool per resource. Arguments are read and questions answered in the same way in every protocol version. */
export class Tools {
  readonly #resources: readonly Resource[]
  readonly #cache: ResponseCache
  readonly #form: ToolForm
  readonly #tools: ReadonlyMap<string, { resource: Resource; call: CallTool }>
  readonly #lists = new Map<string, string>()

  constructor(resources: readonly Resource[], cache: ResponseCache, form: ToolForm) {
    this.#resources = resources
    this.#cache = cache
    this.#form = form
    this.#tools = new Map(
      resources.map((resource) => [resource.tool.name, { resource, call: createCall(resource, cache, form) }]),
    )
  }

  /** Lists only the tools that a key may call, serialised once for each set of permissions. */
  list(permissions: ReadonlySet<string>): string {
    const allowed = this.#resources.filter(({ permission }) => permissions.has(permission))
    const key = allowed.map(({ name }) => name).join()
    const list = this.#lists.get(key) ?? tailText(this.#form.list(allowed.map(this.#form.definition)))
    this.#lists.set(key, list)
    return list
  }

  call(name: string, given: unknown, admission: Admission): MaybePromise<Parts> {
    const tool = this.#tools.get(name)
    if (tool === undefined || !admission.permissions.has(tool.resource.permission))
      throw this.#form.noTool(tool?.resource)
    try {
      const parts = tool.call(given, admission)
      return parts instanceof Promise ? parts.catch((error) => this.#explain(error, admission)) : parts
    } catch (error) {
      return this.#explain(error, admission)
    }
  }

  async #explain(error: unknown, admission: Admission): Promise<Parts> {
    if (!(error instanceof InvalidArgumentsError)) throw error
    const clock = error.isAboutDates ? await workspaceClock(this.#cache, admission) : undefined
    return this.#form.refuse(error, clock && todayIs(clock, admission.now))
  }
}

function createCall(resource: Resource, cache: ResponseCache, form: ToolForm): CallTool {
  const readArguments = argumentsReader(resource)
  const readWhole = form.wholeReader(resource, cache)
  if (!isList(resource)) return (given, admission) => readWhole(admission, readArguments(given))
  const ask = listTool(resource, cache, form)
  return (given, admission) =>
    !form.isForModels && isBare(given) ? readWhole(admission) : ask(readArguments(given), admission)
}

export type Method = (params: Record<string, unknown>, admission: Admission) => MaybePromise<Parts>

/** The methods of tools in every version, with its errors for a wrong parameter. */
export const toolMethods = (tools: Tools, invalid: Record<'cursor' | 'name', () => Error>): [string, Method][] => [
  [
    'tools/list',
    ({ cursor }, { permissions }) => {
      if (cursor !== undefined) throw invalid.cursor()
      return [tools.list(permissions)]
    },
  ],
  [
    'tools/call',
    ({ name, arguments: given }, admission) => {
      if (typeof name !== 'string') throw invalid.name()
      return tools.call(name, given, admission)
    },
  ],
]
