import assert from 'node:assert/strict'
import test from 'node:test'
import { startContractService } from '../support/contract-service.ts'
import type { HttpResponse } from '../support/exchange.ts'

const json = { 'content-type': 'application/json' }
const message = (method: string, params?: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

const requests: [method: string, headers: Record<string, string>, body: string][] = [
  ['POST', json, message('initialize', { protocolVersion: '2025-11-25' })],
  ['POST', json, message('ping')],
  ['POST', json, message('tools/list')],
  ['POST', json, message('tools/call', { name: 'get_workspace' })],
  ['POST', json, message('tools/call', { name: 'list_tasks' })],
  ['POST', json, message('tools/call', { name: 'list_tasks', arguments: { limit: 1 } })],
  ['POST', json, message('tools/call', { name: 'list_tasks', arguments: { limit: 0, x: 1 } })],
  ['POST', json, message('no/such')],
  ['POST', json, '{"jsonrpc":"2.0","method":"notifications/initialized"}'],
  ['POST', json, '['],
  ['POST', json, '[]'],
  ['POST', { 'content-type': 'text/plain' }, message('ping')],
  ['POST', { ...json, 'mcp-protocol-version': '2026-07-28' }, message('server/discover')],
  ['POST', { ...json, origin: 'https://evil.example' }, message('ping')],
  ['POST', { ...json, authorization: '' }, message('ping')],
  ['POST', { ...json, authorization: 'Bearer x' }, message('ping')],
  ['GET', {}, ''],
  ['OPTIONS', {}, ''],
  ['DELETE', {}, ''],
]

/** All of a response but what no two responses share. */
function essence({ status, headers, text }: HttpResponse) {
  const { date, 'x-request-id': requestId = '-', 'ratelimit-remaining': remaining, ...rest } = headers
  return { status, headers: rest, text: text.replaceAll(requestId, '<id>') }
}

test('/mcp and /v1/mcp answer the same, byte for byte', async (t) => {
  const { send, key, addTasks } = await startContractService(t)
  await addTasks([{ id: 'a', title: 'Ünal' }, { id: 'b' }])
  for (const [method, headers, body] of requests) {
    const sent = { method, headers: { authorization: `Bearer ${key}`, ...headers }, body }
    const [plain, pinned] = [await send('/mcp', sent), await send('/v1/mcp', sent)]
    assert.deepEqual(essence(pinned), essence(plain), `${method} ${body}`)
  }
})
