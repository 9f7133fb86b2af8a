import type { Admission } from '../../database/store.ts'
import type { MaybePromise } from '../../lib/maybe-promise.ts'
import type { Resource } from '../../resources/define.ts'
import type { ResponseCache } from '../../resources/response-cache.ts'
import type { ServedBody } from '../../resources/served-body.ts'
import { resultTail } from '../json-rpc.ts'
import { toolNotFound } from './errors.ts'
import { CACHING, SERVER_INFO } from './protocol.ts'

export const toolDefinition = ({ tool }: Resource) => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: tool.arguments,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
})

/** One tool per resource, for keys that may read it. */
export class Tools {
  readonly #cache: ResponseCache
  readonly #resources: ReadonlyMap<string, Resource>
  readonly #lists = new Map<string, Buffer>()

  constructor(resources: readonly Resource[], cache: ResponseCache) {
    this.#cache = cache
    this.#resources = new Map(resources.map((resource) => [resource.tool.name, resource]))
  }

  /** Only the tools that the key may call; serialised once for each set of permissions. */
  list({ permissions }: Admission): Buffer {
    const allowed = [...this.#resources.values()].filter(({ permission }) => permissions.has(permission))
    const key = allowed.map(({ name }) => name).join()
    let list = this.#lists.get(key)
    if (list === undefined) {
      list = resultTail({ resultType: 'complete', tools: allowed.map(toolDefinition), ...CACHING, _meta: SERVER_INFO })
      this.#lists.set(key, list)
    }
    return list
  }

  call(name: string, _args: unknown, admission: Admission): MaybePromise<readonly Buffer[]> {
    const resource = this.#resources.get(name)
    if (resource === undefined) throw toolNotFound(false)
    if (!admission.permissions.has(resource.permission)) throw toolNotFound(true)
    const body = this.#cache.read(resource, admission)
    return body instanceof Promise ? body.then(toResult) : toResult(body)
  }
}

const toResult = (body: ServedBody | undefined): readonly Buffer[] => {
  const text = body?.bytes.toString() ?? 'The workspace is not available: it was archived or deleted.'
  const content = [{ type: 'text', text }]
  return [resultTail({ resultType: 'complete', content, isError: body === undefined, _meta: SERVER_INFO })]
}
