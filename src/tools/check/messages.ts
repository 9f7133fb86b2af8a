import { isObject } from '../../lib/checker.ts'
import { parseJson } from '../../lib/json-text.ts'
import type { Expected } from './expect.ts'
import type { CheckedResponse, Request } from './http.ts'

export const OLD = '2025-03-26'
export const MODERN = '2026-07-28'
export const JSON_TYPE = 'application/json'
const META = 'io.modelcontextprotocol'
const ID = 'vitrine-check'

export function post(path: string, body: string, headers: Record<string, string> = {}): Request {
  return { method: 'POST', path, withKey: true, body, headers }
}

export function old(path: string, method: string, params?: object, headers = {}): Request {
  const id = method.startsWith('notifications/') ? undefined : ID
  return post(path, JSON.stringify({ jsonrpc: '2.0', id, method, params }), headers)
}

export function modern(
  path: string,
  method: string,
  params: Record<string, unknown> = {},
  changed = {},
  version = MODERN,
) {
  const name = typeof params.name === 'string' ? { 'Mcp-Name': params.name } : {}
  const headers = { 'MCP-Protocol-Version': version, 'Mcp-Method': method, ...name, ...changed }
  const _meta = { [`${META}/protocolVersion`]: version, [`${META}/clientCapabilities`]: {} }
  return old(path, method, { ...params, _meta }, headers)
}

export const problem = (status: number, code: string, headers: Expected['headers'] = {}): Expected => ({
  status,
  type: 'application/problem+json',
  headers: { ...headers, 'Cache-Control': 'no-store' },
  has: { status, code },
})

export const accepted = (version: string): Expected => ({
  status: 202,
  hasNoBody: true,
  headers: { 'X-Service-Api-Version': version },
})

const success = (version: string, has: object): Expected => ({
  status: 200,
  type: JSON_TYPE,
  headers: { 'X-Service-Api-Version': version },
  has: { jsonrpc: '2.0', id: ID, ...has },
})
export const oldResult = (result: object = {}) => success(OLD, { result })
export const oldError = (code: number) => success(OLD, { error: { code } })
export const modernResult = (result: object = {}) => success(MODERN, { result: { resultType: 'complete', ...result } })

/** The data of an error has the properties of a problem. */
export const modernError = (status: number, code: number, problem: string, data: object = {}): Expected => ({
  status,
  type: JSON_TYPE,
  headers: status === 200 ? { 'X-Service-Api-Version': MODERN } : { 'Cache-Control': 'no-store' },
  has: { jsonrpc: '2.0', error: { code, data: { code: problem, status, ...data } } },
})

export const resultOf = ({ json }: CheckedResponse): Record<string, unknown> => Object(Object(json).result)

export const toolNames = (response: CheckedResponse): string[] =>
  [resultOf(response).tools ?? []].flat().map((tool) => String(Object(tool).name))

/** The JSON in a result's block of text. */
export function contentOf(response: CheckedResponse): unknown {
  const [block] = [resultOf(response).content].flat()
  return isObject(block) && typeof block.text === 'string' ? parseJson(block.text) : undefined
}
