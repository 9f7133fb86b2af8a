import { isObject } from '../../lib/checker.ts'
import { diagnoses } from './diagnosis.ts'
import { expect, expectResponse } from './expect.ts'
import type { HttpResponse, Request } from './http.ts'

export const OLD = '2025-03-26'
export const MODERN = '2026-07-28'

/** Names the response, and is echoed in it. */
const ID = 'vitrine-check'

export const post = (path: string, body: string, headers: Record<string, string> = {}): Request => ({
  ...{ method: 'POST', path, withKey: true, body, headers },
})

/** A request of MCP 2025-03-26. */
export const oldCall = (path: string, method: string, params?: object): Request =>
  post(path, JSON.stringify({ jsonrpc: '2.0', id: ID, method, params }))

const META = 'io.modelcontextprotocol'
const modernMeta = { [`${META}/protocolVersion`]: MODERN, [`${META}/clientCapabilities`]: {} }

/** A request of MCP 2026-07-28, with the headers that repeat its body. */
export function modernCall(path: string, method: string, params: { name?: string; arguments?: object } = {}): Request {
  const message = { jsonrpc: '2.0', id: ID, method, params: { ...params, _meta: modernMeta } }
  const name = params.name === undefined ? {} : { 'Mcp-Name': params.name }
  return post(path, JSON.stringify(message), { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': method, ...name })
}

/** The same without its id. */
export const asNotification = ({ body = '', ...request }: Request): Request => ({
  ...request,
  body: JSON.stringify({ ...JSON.parse(body), id: undefined }),
})

/** Of a response with status 200 to a call; returns its result. */
export function expectResult(response: HttpResponse, version: string): Record<string, unknown> {
  const { result } = expectEnvelope(response, version)
  expect(isObject(result), response, 'a result', diagnoses.unknown)
  return result
}

/** A JSON-RPC error inside a 200. */
export const expectOldError = (response: HttpResponse, code: number): void =>
  expectError(response, expectEnvelope(response, OLD), code)

/** A JSON-RPC error with a status of its own: MCP 2026-07-28. */
export function expectModernError(response: HttpResponse, status: number, code: number): void {
  expectResponse(response, { status, type: 'application/json', meaning: refusedHeader(response) })
  expectError(response, response.json, code)
}

function expectError(response: HttpResponse, json: unknown, code: number): void {
  const error = isObject(json) ? json.error : undefined
  const isMet = isObject(error) && error.code === code
  expect(isMet, response, `the JSON-RPC error ${code}`, diagnoses.unknown)
}

function expectEnvelope(response: HttpResponse, version: string): Record<string, unknown> {
  const headers = { 'X-Service-Api-Version': version }
  expectResponse(response, { status: 200, type: 'application/json', headers, meaning: refusedHeader(response) })
  const { json } = response
  expect(isObject(json), response, 'a JSON-RPC response')
  expect(json.id === ID, response, `the id "${ID}" that was sent`)
  return json
}

/** A request that is right was refused because of its headers: they did not arrive as they were sent. */
const refusedHeader = ({ text }: HttpResponse) => ({
  ...(/header_mismatch|unsupported_protocol_version/.test(text) && { 400: diagnoses.versionHeaderRemoved }),
})

/** The one text block of a tool's result. */
export function textOf(result: Record<string, unknown>): string | undefined {
  const [block] = Array.isArray(result.content) ? result.content : []
  return isObject(block) && block.type === 'text' && typeof block.text === 'string' ? block.text : undefined
}

/** The names of the tools that a key may use, as `tools/list` has them. */
export const toolNames = (result: Record<string, unknown>): string[] =>
  Array.isArray(result.tools) ? result.tools.flatMap((tool) => (isObject(tool) ? [String(tool.name)] : [])) : []
