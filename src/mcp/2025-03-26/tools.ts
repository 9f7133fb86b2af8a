import { clip } from '../../lib/plain-text.ts'
import { redactTokens } from '../../lib/redact.ts'
import type { Resource } from '../../resources/define.ts'
import { cachedName, createBodyReader, type ServedBody, unavailableBody } from '../../resources/response-cache.ts'
import { argumentsOf, argumentsSchema } from '../arguments.ts'
import type { InvalidArgumentsError } from '../invalid-arguments.ts'
import { READ_ONLY } from '../protocol-version.ts'
import { toResultBytes, toTextResult } from '../result-bytes.ts'
import { type ToolFormat, UNAVAILABLE } from '../tools.ts'
import { PROTOCOL_VERSION } from './contract.ts'
import { invalidParams, rpcError } from './errors.ts'

const TEXT_START = '{"content":[{"type":"text","text":"'

/** The text is the body of the REST response. */
const toResult = ({ bytes }: ServedBody) => toTextResult(TEXT_START, bytes.toString())

const UNAVAILABLE_RESULT = toResultBytes({ content: [{ type: 'text', text: UNAVAILABLE }], isError: true })

/** Results are cached like the bodies that they contain, so that a repeated call escapes nothing. */
const bodyTool: ToolFormat['bodyTool'] = (resource, cache) => {
  const readBody = createBodyReader(resource, cache)
  const name = cachedName(resource, `${PROTOCOL_VERSION} ${resource.name}`)
  const empty = unavailableBody(resource)
  const unavailable = empty === undefined ? UNAVAILABLE_RESULT : toResult(empty).bytes
  return async (admission) => {
    const result = await cache.getOrRead(name, admission, async () => {
      const body = await readBody(admission)
      return body && { value: toResult(body), until: body.until }
    })
    return result?.bytes ?? unavailable
  }
}

/** A call without arguments has room only for the rows. */
const descriptionOf = ({ list, tool: { description } }: Resource): string =>
  list === undefined
    ? description
    : `${description} Without arguments it returns only the first ${list.limit} ${list.name}; give any argument to also get ` +
      'total, hasMore, nextCursor, asOf, localDate, timezone and etag.'

export const toolDefinition = (resource: Resource) => ({
  name: resource.tool.name,
  description: descriptionOf(resource),
  inputSchema: argumentsSchema(argumentsOf(resource)),
  annotations: { title: resource.tool.title, ...READ_ONLY },
})

/** Bounds how many of the caller's names are repeated. */
const MAX_UNKNOWN = 20
const MAX_NAME = 100

function refuse({ faults, unknown, known, knownArguments }: InvalidArgumentsError, today: string | undefined): never {
  const ofUnknown = unknown
    .slice(0, MAX_UNKNOWN)
    .map((name) => ({ argument: clip(redactTokens(name), MAX_NAME), problem: 'is not a known argument' }))
  // A filter may have the same name.
  if (faults[0]?.argument === 'arguments' && known.length === 0)
    throw invalidParams('params.arguments must be an object.', [
      { argument: 'params.arguments', problem: 'must be an object' },
    ])
  const all = [...ofUnknown, ...faults.map(({ argument, fix }) => ({ argument, problem: fix }))]
  const summary = all.map(({ argument, problem }) => `${argument} ${problem}`).join('; ')
  const hints = [...(ofUnknown.length > 0 ? [`${knownArguments}.`] : []), ...(today === undefined ? [] : [today])]
  throw invalidParams([`Invalid arguments: ${summary}.`, ...hints].join(' '), all)
}

export const toolFormat: ToolFormat = {
  version: PROTOCOL_VERSION,
  isForModels: false,
  unavailable: UNAVAILABLE_RESULT,
  textStart: () => TEXT_START,
  definition: toolDefinition,
  list: (tools) => ({ tools }),
  bodyTool,
  cursorRefused: () =>
    invalidParams('There is only one page of tools; leave params.cursor out.', [
      { argument: 'params.cursor', problem: 'must be left out; there is only one page of tools' },
    ]),
  nameRefused: () =>
    invalidParams('params.name must be the name of a tool.', [
      { argument: 'params.name', problem: 'must be the name of a tool' },
    ]),
  noTool: (forbidden) =>
    forbidden === undefined
      ? invalidParams('No tool has this name; tools/list shows the tools.', [
          { argument: 'params.name', problem: 'is not the name of a tool; tools/list shows the tools' },
        ])
      : rpcError('forbidden', `This key lacks the permission ${forbidden.permission} that the tool needs.`),
  refuse,
}
