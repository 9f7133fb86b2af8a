import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { TestContext } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formatsPlugin from 'ajv-formats'
import { checking } from './assertions.ts'
import { type ContractService, startContractService } from './contract-service.ts'
import type { HttpResponse } from './exchange.ts'

export const PATH = '/v2/mcp'
export const VERSION = '2026-07-28'
export const VERSION_MEMBER = 'io.modelcontextprotocol/protocolVersion'
export const CAPABILITIES_MEMBER = 'io.modelcontextprotocol/clientCapabilities'
/** What every request of MCP 2026-07-28 carries. */
export const META = { [VERSION_MEMBER]: VERSION, [CAPABILITIES_MEMBER]: {} }

export type Headers = Record<string, string | string[] | undefined>

/** A valid MCP 2026-07-28 request; tests spread their changes over it. */
export const modernRequest = (method: string, params: object = {}) => ({
  jsonrpc: '2.0',
  id: 1 as unknown,
  method,
  params: { ...params, _meta: META } as unknown,
})

/** The headers that repeat a body. */
export function modernHeaders(method: string, name?: string): Record<string, string> {
  const named = name === undefined ? {} : { 'mcp-name': name }
  return { 'mcp-protocol-version': VERSION, 'mcp-method': method, ...named }
}

export interface ModernService extends ContractService {
  /** POST to /v2/mcp with the key and these headers; undefined leaves one out. A string is sent unchanged. */
  post(message: unknown, headers?: Headers): Promise<HttpResponse>
  /** A valid request, with its headers. */
  ask(method: string, params?: Record<string, unknown>, headers?: Headers): Promise<HttpResponse>
}

export const startModernService = async (
  t: TestContext,
  options?: Parameters<typeof startContractService>[1],
): Promise<ModernService> => modernService(await startContractService(t, options))

export function modernService(service: ContractService): ModernService {
  const post = async (message: unknown, headers: Headers = {}) => {
    const all: Headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json', ...headers }
    const response = await service.send(PATH, {
      method: 'POST',
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Headers as never,
      body: typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message),
    })
    if (isOfProtocol(response)) assertProtocol(response)
    return response
  }
  const ask = (method: string, params: Record<string, unknown> = {}, headers: Headers = {}) => {
    const name = method === 'tools/call' && typeof params.name === 'string' ? params.name : undefined
    return post(modernRequest(method, params), { ...modernHeaders(method, name), ...headers })
  }
  return { ...service, post, ask }
}

/** Otherwise it is a problem, or a response of the older version. */
const isOfProtocol = ({ status, headers }: HttpResponse) =>
  status < 300 ? headers['x-service-api-version'] === VERSION : headers['content-type'] === 'application/json'

const schema = JSON.parse(readFileSync(new URL('../clients/schema/2026-07-28.json', import.meta.url), 'utf8'))
const ajv = new Ajv2020({ strict: false, allErrors: true })
formatsPlugin.default(ajv)
ajv.addSchema(schema, 'mcp')

/** The response fits this definition of the protocol's published schema. */
export function assertFits(definition: string, value: unknown): void {
  const validate = ajv.getSchema(`mcp#/$defs/${definition}`)
  assert.ok(validate, definition)
  assert.ok(validate(value), `${definition}: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(value)}`)
}

const resultDefinitions: Record<string, string> = {
  supportedVersions: 'DiscoverResult',
  tools: 'ListToolsResult',
  content: 'CallToolResult',
}
const errorDefinitions: Record<number, string> = {
  [-32020]: 'HeaderMismatchError',
  [-32022]: 'UnsupportedProtocolVersionError',
}

/** Checks a protocol response against its published schema: the envelope and its content. */
function assertProtocol({ status, json, body }: HttpResponse): void {
  const { result, error } = (json ?? {}) as { result?: object; error?: { code: number } }
  if (status === 202) assert.equal(body.length, 0)
  else if (error !== undefined) assertFits(errorDefinitions[error.code] ?? 'JSONRPCErrorResponse', json)
  else {
    assertFits('JSONRPCResultResponse', json)
    const member = Object.keys(resultDefinitions).find((name) => name in (result ?? {}))
    assert.ok(member, `a result of no known kind: ${JSON.stringify(result)}`)
    assertFits(resultDefinitions[member] as string, result)
  }
}

interface ExpectedError {
  status: number
  error: number
  problem: string
  /** The problem's status; also the HTTP status, unless that is given. */
  problemStatus?: number
  /** As it was written; left out, the error has none. */
  id?: string | undefined
  /** What the protocol requires in `error.data`. */
  data?: object
}

/** The response is this JSON-RPC error with these members of a problem, and nothing else; returns the detail. */
export const assertRpcError = checking((response, expected: ExpectedError): string => {
  const { status, error: code, problem, problemStatus = status, id, data: more = {} } = expected
  assert.equal(response.status, status, response.text)
  assert.equal(response.headers['content-type'], 'application/json')
  assert.equal(response.headers['content-length'], String(response.body.length))
  assert.equal(response.headers['x-service-api-version'], status === 200 ? VERSION : undefined)
  assert.equal(response.headers['cache-control'], status === 200 ? undefined : 'no-store')
  const start = id === undefined ? '{"jsonrpc":"2.0","error":' : `{"jsonrpc":"2.0","id":${id},"error":`
  assert.ok(response.text.startsWith(start), response.text.slice(0, 200))
  const { error, ...envelope } = response.json as { error: { code: number; message: string; data: object } }
  assert.deepEqual(Object.keys(envelope), id === undefined ? ['jsonrpc'] : ['jsonrpc', 'id'])
  assert.deepEqual(Object.keys(error), ['code', 'message', 'data'])
  assert.equal(error.code, code, response.text)
  const { title, detail, hint, ...rest } = error.data as Record<string, unknown>
  for (const text of [title, detail, hint]) assert.ok(typeof text === 'string' && text.length > 5, response.text)
  assert.equal(error.message, detail)
  assert.deepEqual(rest, { type: `/problems/${problem}`, status: problemStatus, code: problem, ...more })
  return detail as string
})

/** A page of a list as structured content, loosely typed for assertions. */
interface ListedPage {
  asOf: string
  timezone: string | null
  etag: string
  hasMore: boolean
  nextCursor: string | null
  tasks: Record<string, string | null>[]
}

interface ToolResult {
  content: { type: string; text: string }[]
  structuredContent?: unknown
  isError?: boolean
}

export interface ModernTools extends ModernService {
  /** tools/call with id 1. */
  callTool(name: string, args?: unknown, headers?: Record<string, string>): Promise<HttpResponse>
  /** The structured content of list_tasks, once it was found to be the same as the text. */
  list(args?: object): Promise<ListedPage>
  /** The ids of the tasks that list_tasks returns. */
  ids(args?: object): Promise<string>
  /** The text of a tool error, which has nothing else. */
  fault(args: unknown, name?: string): Promise<string>
}

export async function startModernTools(
  t: TestContext,
  options?: Parameters<typeof startModernService>[1],
): Promise<ModernTools> {
  const service = await startModernService(t, options)
  const callTool: ModernTools['callTool'] = (name, args, headers) =>
    service.ask('tools/call', args === undefined ? { name } : { name, arguments: args }, headers)
  const list: ModernTools['list'] = async (args) => structuredIn(await callTool('list_tasks', args)) as ListedPage
  return {
    ...service,
    callTool,
    list,
    ids: async (args) => (await list(args)).tasks.map(({ id }) => id).join(' '),
    async fault(args, name = 'list_tasks') {
      const { result } = (await callTool(name, args)).json as { result: ToolResult }
      assert.deepEqual(Object.keys(result), ['resultType', '_meta', 'content', 'isError'], JSON.stringify(result))
      assert.equal(result.isError, true)
      assert.equal(result.content.length, 1)
      return result.content[0]?.text ?? ''
    },
  }
}

export function structuredIn(response: HttpResponse): unknown {
  assert.equal(response.status, 200, response.text)
  const { result } = response.json as { result: ToolResult }
  assert.notEqual(result?.isError, true, response.text)
  assert.deepEqual(
    result.content.map(({ type, text }) => ({ type, json: JSON.parse(text) })),
    [{ type: 'text', json: result.structuredContent }],
  )
  return result.structuredContent
}
