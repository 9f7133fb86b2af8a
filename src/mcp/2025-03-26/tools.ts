import type { Admission } from '../../database/store.ts'
import { checker, type FieldError, isObject, unstorable } from '../../lib/checker.ts'
import { type MaybePromise, whenReady } from '../../lib/maybe-promise.ts'
import { latin1WithOwnMemory } from '../../lib/own-memory.ts'
import { redactTokens } from '../../lib/redact.ts'
import { integer, type ObjectSchema, object, optional } from '../../lib/schema.ts'
import type { Resource } from '../../resources/define.ts'
import type { ListShape } from '../../resources/list.ts'
import { createBodyReader, cacheKeyOf, type ResponseCache, type ServedBody } from '../../resources/response-cache.ts'
import { resultTail, tailText } from '../json-rpc.ts'
import { createToolLists, READ_ONLY } from '../protocol-version.ts'
import { invalidParams, RpcError } from './errors.ts'

interface Tool {
  resource: Resource
  check: (args: unknown) => FieldError[]
  read: (admission: Admission, args: Record<string, unknown>) => MaybePromise<Buffer>
}

/** The tail of a result. Its text is the body of the REST response. */
class ToolResult {
  readonly tail: Buffer

  /** All escaped characters are single bytes in UTF-8, and Latin-1 is many times faster to escape. */
  constructor(body: ServedBody) {
    const text = JSON.stringify(body.bytes.toString('latin1'))
    this.tail = latin1WithOwnMemory(`{"content":[{"type":"text","text":${text}}]}}`)
  }

  get weight(): number {
    return this.tail.length + OBJECTS
  }
}

/** The estimated overhead, beside a buffer with its own memory. */
const OBJECTS = 400

/** Results are cached like the bodies that they hold, so that a repeated call escapes nothing. */
function createResultReader(resource: Resource, cache: ResponseCache): Tool['read'] {
  const readBody = createBodyReader(resource, cache)
  const name = `2025-03-26 ${resource.name}`
  const tailOf = (result: ToolResult | undefined) => result?.tail ?? UNAVAILABLE
  return (admission, args) => {
    if (!admission.available) {
      const body = readBody(admission) as ServedBody | undefined
      return tailOf(body && new ToolResult(body))
    }
    const result = cache.ask(cacheKeyOf(name, args), admission, async () => {
      const body = await readBody(admission, args)
      return body && { value: new ToolResult(body), until: body.until }
    })
    return whenReady(result, tailOf)
  }
}

const UNAVAILABLE = resultTail({
  content: [{ type: 'text', text: 'The workspace is not available: it was archived or deleted.' }],
  isError: true,
})

/** Filters added after this version was published, which must not change. */
const LATER: Record<string, readonly string[]> = { list_tasks: ['dueAfter'] }

const limitArgument = ({ member, limit }: ListShape) =>
  optional(integer({ minimum: 1, maximum: limit, description: `How many ${member} at most; ${limit} if left out.` }))

function argumentsOf({ list, tool }: Resource): ObjectSchema {
  const filters = Object.entries(tool.filters).filter(([name]) => !LATER[tool.name]?.includes(name))
  return object(
    { ...(list && { limit: limitArgument(list) }), ...Object.fromEntries(filters) },
    { additionalProperties: false },
  )
}

/** This version has no pages. */
const descriptionOf = ({ list, tool: { description } }: Resource): string =>
  list === undefined ? description : `${description} Exactly ${list.limit} ${list.member} mean that there may be more.`

export const toolDefinition = (resource: Resource) => ({
  name: resource.tool.name,
  description: descriptionOf(resource),
  inputSchema: argumentsOf(resource),
  annotations: { title: resource.tool.title, ...READ_ONLY },
})

export class Tools {
  readonly #tools: ReadonlyMap<string, Tool>
  readonly list: (permissions: ReadonlySet<string>) => string

  constructor(resources: readonly Resource[], cache: ResponseCache) {
    this.list = createToolLists(resources, (allowed) => tailText({ tools: allowed.map(toolDefinition) }))
    this.#tools = new Map(
      resources.map((resource) => [
        resource.tool.name,
        { resource, check: checker(argumentsOf(resource)), read: createResultReader(resource, cache) },
      ]),
    )
  }

  call(params: Record<string, unknown>, admission: Admission): MaybePromise<Buffer> {
    const { resource, check, read } = this.#find(params.name)
    if (!admission.permissions.has(resource.permission))
      throw new RpcError('forbidden', `This key lacks the permission ${resource.permission} that the tool needs.`)
    return read(admission, checkedArguments(params.arguments, check))
  }

  #find(name: unknown): Tool {
    if (typeof name !== 'string')
      throw invalidParams('params.name must be the name of a tool.', [
        { argument: 'params.name', problem: 'must be the name of a tool' },
      ])
    const tool = this.#tools.get(name)
    if (tool === undefined)
      throw invalidParams('There is no tool of this name; tools/list shows those there are.', [
        { argument: 'params.name', problem: 'is not the name of a tool; tools/list shows those there are' },
      ])
    return tool
  }
}

function checkedArguments(args: unknown = {}, check: Tool['check']): Record<string, unknown> {
  if (!isObject(args))
    throw invalidParams('params.arguments must be an object.', [
      { argument: 'params.arguments', problem: 'must be an object' },
    ])
  const faults = [...check(args), ...unstorable(args, Object.keys(args))].map(({ field, problem }) => ({
    argument: redactTokens(field),
    problem,
  }))
  if (faults.length === 0) return args
  const summary = faults.map(({ argument, problem }) => `${argument} ${problem}`).join('; ')
  throw invalidParams(`Invalid arguments: ${summary}.`, faults)
}
