import { isObject } from '../../lib/checker.ts'
import { diagnoses } from './diagnosis.ts'
import { expect, expectResponse } from './expect.ts'
import type { CheckedResponse, Request } from './http.ts'

export const OLD = '2025-03-26'
export const MODERN = '2026-07-28'

const ID = 'vitrine-check'

export function post(path: string, body: string, headers: Record<string, string> = {}): Request {
  return { method: 'POST', path, withKey: true, body, headers }
}

export function oldCall(path: string, method: string, params?: object, headers = {}): Request {
  const id = method.startsWith('notifications/') ? undefined : ID
  return post(path, JSON.stringify({ jsonrpc: '2.0', id, method, params }), headers)
}

const META = 'io.modelcontextprotocol'
const modernMeta = { [`${META}/protocolVersion`]: MODERN, [`${META}/clientCapabilities`]: {} }

export function modernCall(path: string, method: string, params: { name?: string; arguments?: object } = {}): Request {
  const name = params.name === undefined ? {} : { 'Mcp-Name': params.name }
  const headers = { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': method, ...name }
  return oldCall(path, method, { ...params, _meta: modernMeta }, headers)
}

export function expectResult(response: CheckedResponse, version: string): Record<string, unknown> {
  const { result } = expectEnvelope(response, 200, { 'X-Service-Api-Version': version })
  expect(isObject(result), response, 'a result', diagnoses.unknown)
  return result
}

/** MCP 2025-03-26 sends errors with status 200, MCP 2026-07-28 with a status of their own. */
export function expectError(response: CheckedResponse, code: number, status = 200): void {
  const { error } = expectEnvelope(response, status, status === 200 ? { 'X-Service-Api-Version': OLD } : {})
  expect(isObject(error) && error.code === code, response, `the JSON-RPC error ${code}`, diagnoses.unknown)
}

function expectEnvelope(response: CheckedResponse, status: number, headers: Record<string, string>) {
  const { json, text } = response
  // The request is valid, so a proxy must have changed its headers.
  const isHeaderRefused = /header_mismatch|unsupported_protocol_version/.test(text)
  const meaning = isHeaderRefused ? { 400: diagnoses.versionHeaderRemoved } : {}
  expectResponse(response, { status, type: 'application/json', headers, meaning })
  expect(isObject(json), response, 'a JSON-RPC response')
  expect(json.id === ID, response, `the id "${ID}" that was sent`)
  return json
}
