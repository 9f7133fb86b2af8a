import assert from 'node:assert/strict'
import test from 'node:test'
import { assertMcpProblem } from '../support/assertions.ts'
import { withQuota } from '../support/contract-service.ts'
import { modernHeaders, modernRequest, startModernService } from '../support/modern-client.ts'
import { openRaw } from '../support/raw.ts'

test('every authenticated request costs one, whatever its answer, of the quota that REST shares', async (t) => {
  const { ask, post, get } = await startModernService(t, withQuota(20))
  const left: (string | undefined)[] = []
  const responses = [
    () => ask('server/discover'),
    () => ask('tools/list'),
    () => ask('tools/call', { name: 'get_workspace' }),
    () => ask('tools/call', { name: 'no_such_tool' }),
    () => ask('no/such'),
    () => ask('tools/list', {}, { 'mcp-method': 'x' }),
    () => post('{', { 'mcp-protocol-version': '2026-07-28' }),
    () => post({ jsonrpc: '2.0', method: 'x' }, { 'mcp-protocol-version': '2026-07-28' }),
    () => ask('tools/list', {}, { origin: 'https://evil.example' }),
    () => post({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    () => get('/workspace'),
  ]
  for (const response of responses) left.push((await response()).headers['ratelimit-remaining'])
  assert.deepEqual(
    left,
    responses.map((_, at) => String(19 - at)),
  )
})

test('a key revoked before the body came reads nothing: 401', async (t) => {
  const { url, createKey, keys, get, conform } = await startModernService(t)
  const { token, id } = await createKey()
  const connection = await openRaw(url)
  t.after(() => connection.socket.destroy())
  const body = JSON.stringify(modernRequest('tools/call', { name: 'list_tasks' }))
  const headers = Object.entries(modernHeaders('tools/call', 'list_tasks')).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  connection.write(
    `POST /v2/mcp HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n` +
      `${headers.join('')}Content-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  )
  assert.equal((await connection.next()).status, 100)
  await get('/workspace')
  await keys.revoke(id)
  connection.write(body)
  const response = await connection.next()
  assertMcpProblem(response, 401, 'unauthorized')
  conform('POST', '/v2/mcp', response)
})
