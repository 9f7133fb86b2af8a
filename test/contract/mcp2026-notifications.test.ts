import assert from 'node:assert/strict'
import test from 'node:test'
import { assertHeaders, window } from '../support/assertions.ts'
import { startModernService } from '../support/modern-client.ts'

const V = 'io.modelcontextprotocol/protocolVersion'

test('a request without an id is a notification: 202 without a body, and no further check', async (t) => {
  const { post } = await startModernService(t)
  const notifications: [body: object, headers: Record<string, string>][] = [
    [{ method: 'notifications/cancelled', params: { requestId: 1 } }, { 'mcp-protocol-version': '2026-07-28' }],
    [{ method: 'notifications/initialized' }, { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'other' }],
    [{ method: 'tools/call', params: { name: 'no_such_tool' } }, { 'mcp-protocol-version': '2026-07-28' }],
    [{ method: '' }, { 'mcp-protocol-version': '2099-01-01' }],
    [{ method: 'x', params: { _meta: { [V]: '2026-07-28' } } }, {}],
    [{ method: 'x', params: { _meta: { [V]: '1900-01-01' } } }, {}],
    [{ method: 'initialize', params: { _meta: { [V]: '2026-07-28' } } }, {}],
  ]
  for (const [at, [body, headers]] of notifications.entries()) {
    const response = await post({ jsonrpc: '2.0', ...body }, headers)
    assert.equal(response.status, 202, JSON.stringify(body))
    assert.equal(response.body.length, 0)
    assertHeaders(response, {
      'content-length': '0',
      ...window(599 - at),
      'x-service-api-version': '2026-07-28',
    })
  }
})
