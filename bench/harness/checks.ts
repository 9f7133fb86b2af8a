import { isDeepStrictEqual } from 'node:util'
import type { Check } from './compare.ts'
import { headerOf, type RawResponse } from './exchange.ts'

/** All of them, in turn, until one finds a fault. */
export const all =
  (...checks: readonly Check[]): Check =>
  (response) => {
    for (const check of checks) {
      const fault = check(response)
      if (fault !== undefined) return fault
    }
    return undefined
  }

export const hasStatus =
  (expected: number): Check =>
  ({ status, body }) =>
    status === expected ? undefined : `status ${status} instead of ${expected}: ${body.toString('utf8', 0, 100)}`

export const isJson =
  (expected: unknown): Check =>
  (response) => {
    if (response.status !== 200) return hasStatus(200)(response)
    const type = headerOf(response, 'content-type') ?? 'none'
    if (!/^application\/json\s*(;|$)/i.test(type)) return `content type ${type} instead of application/json`
    return isDeepStrictEqual(parse(response.body.toString()), expected)
      ? undefined
      : 'its JSON is not what was to be sent'
  }

/** The very bytes of a response that was recorded and found right. */
export const isRecorded =
  (recorded: RawResponse): Check =>
  (response) => {
    if (response.status !== recorded.status) return hasStatus(recorded.status)(response)
    if (!response.body.equals(recorded.body) && timeless(response) !== timeless(recorded))
      return 'its bytes are not those that were to be sent'
    const [own, expected] = [shapeOf(response), shapeOf(recorded)]
    return own === expected
      ? undefined
      : `its headers are not like those that were to be sent: ${own} instead of ${expected}`
  }

/** The time of the response is part of it in the protocol of 2026, twice: in the text and beside it. */
const timeless = ({ body }: RawResponse) =>
  body.toString('latin1').replaceAll(/(\\?"asOf\\?":\\?")\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '$1')

/** Names and lengths of values. The seconds to the end of a window lose a digit on their way down. */
const shapeOf = ({ headers }: RawResponse) =>
  headers
    .map(([name, value]) => [name.toLowerCase(), name.toLowerCase() === 'ratelimit-reset' ? 'any' : value.length])
    .sort()
    .join(' ')

/** A JSON-RPC answer with the id of the request. */
export const isRpc =
  (id: number, isRight: (result: unknown) => boolean): Check =>
  (response) => {
    if (response.status !== 200) return hasStatus(200)(response)
    const message = parse(response.body.toString())
    if (!isRecord(message) || message.jsonrpc !== '2.0') return 'it is not a JSON-RPC answer'
    if (message.id !== id) return `it has the id ${message.id} instead of ${id}`
    if (message.error !== undefined) return `it is an error: ${JSON.stringify(message.error).slice(0, 200)}`
    return isRight(message.result) ? undefined : 'its result is not what was to be sent'
  }

export const hasToolText =
  (expected: unknown) =>
  (result: unknown): boolean =>
    isDeepStrictEqual(toolJson(result), expected)

/** Tasks as text, beside what else the answer to a question has. */
export const hasTasksText =
  (tasks: readonly unknown[]) =>
  (result: unknown): boolean => {
    const json = toolJson(result)
    return isRecord(json) && isDeepStrictEqual(json.tasks, tasks)
  }

/** Of a result with a single text. */
function toolJson(result: unknown): unknown {
  if (!isRecord(result) || !Array.isArray(result.content) || result.content.length !== 1) return undefined
  const [content] = result.content
  return isRecord(content) && content.type === 'text' ? parse(String(content.text)) : undefined
}

/** Tasks as structured content, and the very same JSON as text. */
export const hasStructuredText =
  (tasks: readonly unknown[]) =>
  (result: unknown): boolean =>
    isRecord(result) &&
    isRecord(result.structuredContent) &&
    isDeepStrictEqual(result.structuredContent.tasks, tasks) &&
    hasToolText(result.structuredContent)(result)

/** What every result has in the protocol of 2026. */
export const isComplete = (result: unknown): boolean =>
  isRecord(result) &&
  result.resultType === 'complete' &&
  isRecord(result._meta) &&
  isRecord(result._meta['io.modelcontextprotocol/serverInfo'])

export const discovers =
  (version: string) =>
  (result: unknown): boolean =>
    isRecord(result) &&
    Array.isArray(result.supportedVersions) &&
    result.supportedVersions.includes(version) &&
    isRecord(result.capabilities) &&
    result.capabilities.tools !== undefined

export const offersTools =
  (names: readonly string[]) =>
  (result: unknown): boolean =>
    isRecord(result) &&
    Array.isArray(result.tools) &&
    isDeepStrictEqual(result.tools.map((tool) => tool.name).sort(), [...names].sort())

export const introducesItself = (result: unknown): boolean =>
  isRecord(result) &&
  typeof result.protocolVersion === 'string' &&
  isRecord(result.capabilities) &&
  result.capabilities.tools !== undefined &&
  isRecord(result.serverInfo)

export const isEmptyResult = (result: unknown): boolean => isDeepStrictEqual(result, {})

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
