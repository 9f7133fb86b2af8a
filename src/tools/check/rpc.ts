import { isObject } from '../../lib/checker.ts'
import { diagnoses } from './diagnosis.ts'
import { expect, expectHeader, expectStatus, expectType, summary } from './expect.ts'
import type { HttpResponse, Request } from './response.ts'

export const OLD = '2025-03-26'
export const MODERN = '2026-07-28'

const META = 'io.modelcontextprotocol'
const modernMeta = { [`${META}/protocolVersion`]: MODERN, [`${META}/clientCapabilities`]: {} }

/** Names the response, and is echoed in it. */
const ID = 'vitrine-check'

export const post = (path: string, message: object | string, headers: Record<string, string> = {}): Request => ({
  method: 'POST',
  path,
  withKey: true,
  body: typeof message === 'string' ? message : JSON.stringify(message),
  ...(Object.keys(headers).length > 0 && { headers }),
})

/** A request of MCP 2025-03-26. */
export const oldCall = (path: string, method: string, params?: object): Request =>
  post(path, { jsonrpc: '2.0', id: ID, method, ...(params !== undefined && { params }) })

/** A request of MCP 2026-07-28, with the headers that repeat its body. */
export function modernCall(path: string, method: string, params: { name?: string; arguments?: object } = {}): Request {
  const message = { jsonrpc: '2.0', id: ID, method, params: { ...params, _meta: modernMeta } }
  return post(path, message, {
    'MCP-Protocol-Version': MODERN,
    'Mcp-Method': method,
    ...(params.name !== undefined && { 'Mcp-Name': params.name }),
  })
}

export const notification = (path: string, method: string): Request => post(path, { jsonrpc: '2.0', method })

/** A response of the protocol with status 200; returns its result or error. */
function expectEnvelope(response: HttpResponse, version: string): { result?: unknown; error?: unknown } {
  expectStatus(response, 200, refusedHeader(response))
  expectType(response, 'application/json')
  expectHeader(response, 'X-Service-Api-Version', version)
  const { json } = response
  expect(isObject(json), response, 'a JSON-RPC response', summary, diagnoses.bodyChanged)
  expect(
    json.id === ID,
    response,
    `the id "${ID}" that was sent`,
    `the id ${JSON.stringify(json.id)}`,
    diagnoses.bodyChanged,
  )
  return json
}

export function expectResult(response: HttpResponse, version: string): Record<string, unknown> {
  const { result } = expectEnvelope(response, version)
  expect(isObject(result), response, 'a result', summary, diagnoses.unknown)
  return result
}

/** A JSON-RPC error inside a 200. */
export function expectRpcError(response: HttpResponse, version: string, code: number): void {
  const { error } = expectEnvelope(response, version)
  const sent = isObject(error) ? error.code : undefined
  expect(sent === code, response, `the JSON-RPC error ${code}`, summary, diagnoses.unknown)
}

/** A JSON-RPC error with a status of its own: MCP 2026-07-28. */
export function expectModernError(response: HttpResponse, status: number, code: number): void {
  expectStatus(response, status, status === 400 ? undefined : refusedHeader(response))
  expectType(response, 'application/json')
  const error = isObject(response.json) ? response.json.error : undefined
  const sent = isObject(error) ? error.code : undefined
  expect(sent === code, response, `the JSON-RPC error ${code}`, summary, diagnoses.unknown)
}

/** A request that is right in everything was refused because of its headers: they did not arrive as they were sent. */
function refusedHeader({ status, text }: HttpResponse) {
  const isRefused = status === 400 && /header_mismatch|unsupported_protocol_version/.test(text)
  return isRefused ? diagnoses.versionHeaderRemoved : undefined
}

/** The one text block of a tool's result. */
export function textOf(result: Record<string, unknown>): string | undefined {
  const [block] = Array.isArray(result.content) ? result.content : []
  return isObject(block) && block.type === 'text' && typeof block.text === 'string' ? block.text : undefined
}

/** The names of the tools that a key may use, as `tools/list` has them. */
export const toolNames = (result: Record<string, unknown>): string[] =>
  Array.isArray(result.tools) ? result.tools.flatMap((tool) => (isObject(tool) ? [String(tool.name)] : [])) : []

/** Undefined if the text is no JSON object. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
