import assert from 'node:assert/strict'
import { modernHeaders, modernRequest } from './modern-client.ts'

/** The protocol versions, and the paths that support them. */
export const endpoints = {
  '2025-03-26 on /mcp': { path: '/mcp', isModern: false },
  '2025-03-26 on /v2/mcp': { path: '/v2/mcp', isModern: false },
  '2026-07-28 on /v2/mcp': { path: '/v2/mcp', isModern: true },
} as const

export type EndpointName = keyof typeof endpoints

export interface Server {
  url: string
  key: string
}

interface RpcResult {
  tools: { name: string; description: string; inputSchema: object }[]
  instructions?: string
  content: { type: string; text: string }[]
  structuredContent?: unknown
  isError?: boolean
}

/** One JSON-RPC request. An error of the protocol is thrown, with its message. */
export async function request({ url, key }: Server, endpoint: EndpointName, method: string, params: object) {
  const { path, isModern } = endpoints[endpoint]
  const { name } = params as { name?: string }
  const response = await fetch(new URL(path, url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      ...(isModern && modernHeaders(method, name)),
    },
    body: JSON.stringify(isModern ? modernRequest(method, params) : { jsonrpc: '2.0', id: 1, method, params }),
  })
  const text = await response.text()
  assert.equal(response.status, 200, text)
  const { result, error } = JSON.parse(text) as { result?: RpcResult; error?: { message: string } }
  if (result === undefined) throw new Error(error?.message ?? text)
  return result
}

/** The text of a tool's result and, on 2026-07-28, its structured content. */
export async function callTool(server: Server, endpoint: EndpointName, name: string, args: object) {
  const { content, structuredContent, isError } = await request(server, endpoint, 'tools/call', {
    name,
    arguments: args,
  })
  const [block, ...others] = content
  assert.deepEqual([block?.type, others], ['text', []])
  if (isError) throw new Error(block?.text)
  if (structuredContent !== undefined) assert.deepEqual(JSON.parse(block?.text ?? ''), structuredContent)
  return { text: block?.text ?? '', structuredContent }
}
