// Run once: this is decided before any database query.
import assert from 'node:assert/strict'
import { assertMcpProblem } from '../support/assertions.ts'
import { startContractService } from '../support/contract-service.ts'
import { changeElsewhere } from '../support/database.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(startContractService)

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } }
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
const asking = (version: string) => ({ 'mcp-protocol-version': version })

test('without the header, 2025-03-26 applies; with it, it is accepted on every method and echoed', async ({ rpc }) => {
  for (const headers of [{}, asking('2025-03-26')])
    for (const message of [ping, initialize, initialized]) {
      const response = await rpc(message, headers)
      assert.ok(response.status === 200 || response.status === 202)
      assert.equal(response.headers['x-service-api-version'], '2025-03-26')
    }
})

test('a newer version is negotiated down on initialize', async ({ rpc }) => {
  for (const version of ['2025-03-27', '2025-06-18', '2025-11-25', '2026-07-28', '2030-01-01']) {
    const response = await rpc(initialize, asking(version))
    assert.equal(response.status, 200, version)
    assert.equal(response.headers['x-service-api-version'], '2025-03-26')
    assert.equal((response.json as { result: { protocolVersion: string } }).result.protocolVersion, '2025-03-26')
  }
})

test('a newer version is 400 on everything except initialize', async ({ rpc }) => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_workspace' } }
  for (const message of [ping, list, call, initialized, { jsonrpc: '2.0', id: 1, method: 'no/such' }])
    assertMcpProblem(await rpc(message, asking('2025-06-18')), 400, 'unsupported_protocol_version')
})

test('the probe of a 2026 client is a 400, after which it falls back to initialize', async ({ rpc }) => {
  const probe = { jsonrpc: '2.0', id: 0, method: 'server/discover', params: { _meta: {} } }
  assertMcpProblem(await rpc(probe, asking('2026-07-28')), 400, 'unsupported_protocol_version')
  assert.equal((await rpc(initialize, asking('2025-11-25'))).status, 200)
})

test('an older version or nonsense is 400, on initialize too', async ({ rpc }) => {
  const versions = ['2024-11-05', '2025-03-25', '1.0', 'latest', 'DRAFT-2026-v1', '2025-3-26', '20250618', '2026-13-45']
  versions.push('9999', '2025-03-26, 2025-06-18', '2025-06-18Z')
  for (const version of versions)
    for (const message of [initialize, ping])
      assertMcpProblem(await rpc(message, asking(version)), 400, 'unsupported_protocol_version')
})

test('the 400 names the version to use', async ({ rpc }) => {
  const { detail, hint } = (await rpc(ping, asking('2025-06-18'))).json as Record<string, string>
  assert.match(detail ?? '', /2025-03-26/)
  assert.equal(hint, 'Send MCP-Protocol-Version: 2025-03-26, or leave the header out.')
})

test('X-Service-Api-Version is on 200, 202 and 429, and nowhere else', async (service) => {
  const { rpc, send, get, databaseUrl, key, createKey } = service
  const { token } = await createKey({ quota: { limit: 1, windowSeconds: 60 } })
  const spent = { authorization: `Bearer ${token}` }
  const responses = [
    await rpc(ping, spent),
    await rpc({ ...ping, method: 'no/such' }),
    await rpc(initialized),
    await rpc(ping, spent),
    await rpc('{'),
    await rpc(ping, asking('2024-11-05')),
    await send('/mcp', { method: 'POST' }),
    await rpc(ping, { origin: 'https://evil.example' }),
    await send('/mcp', { headers: { authorization: `Bearer ${key}` } }),
    await get('/workspace'),
    await get('/nothing'),
  ]
  await changeElsewhere(databaseUrl, 'DROP TABLE api_keys')
  responses.push(await rpc(ping))
  assert.deepEqual(
    responses.map(({ status, headers }) => `${status} ${headers['x-service-api-version'] ?? '-'}`),
    [
      '200 2025-03-26',
      '200 2025-03-26',
      '202 2025-03-26',
      '429 2025-03-26',
      '400 -',
      '400 -',
      '401 -',
      '403 -',
      '405 -',
      '200 -',
      '404 -',
      '500 -',
    ],
  )
})
