import assert from 'node:assert/strict'
import { test as nodeTest } from 'node:test'
import { assertMcpProblem } from '../support/assertions.ts'
import { sharedModernService } from '../support/contract-service.ts'
import { changeElsewhere, testWith } from '../support/database.ts'
import type { HttpResponse } from '../support/exchange.ts'
import { type Headers, startModernService } from '../support/modern-client.ts'

const test = testWith(sharedModernService)

const V = 'io.modelcontextprotocol/protocolVersion'
const C = 'io.modelcontextprotocol/clientCapabilities'
const header = (version: string) => ({ 'mcp-protocol-version': version })
const message = (method: string, params?: unknown) => ({ jsonrpc: '2.0', id: 1, method, params })

const ping = message('ping')
const initialize = message('initialize', { protocolVersion: '2025-11-25' })
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
const UNSUPPORTED = [400, 'unsupported_protocol_version'] as const

test('without the header, 2025-03-26 applies; with it, it is accepted on every method and echoed', async ({ rpc }) => {
  for (const headers of [{}, header('2025-03-26')])
    for (const sent of [ping, initialize, initialized]) {
      const response = await rpc(sent, headers)
      assert.ok(response.status === 200 || response.status === 202)
      assert.equal(response.headers['x-service-api-version'], '2025-03-26')
    }
})

test('a newer version is negotiated down on initialize, and 400 on everything else', async ({ rpc }) => {
  for (const version of ['2025-03-27', '2025-06-18', '2025-11-25', '2026-07-28', '2030-01-01']) {
    const response = await rpc(initialize, header(version))
    assert.equal(response.status, 200, version)
    assert.equal(response.headers['x-service-api-version'], '2025-03-26')
    assert.equal((response.json as { result: { protocolVersion: string } }).result.protocolVersion, '2025-03-26')
  }
  for (const sent of [ping, message('tools/list'), message('server/discover', { _meta: {} }), initialized])
    assertMcpProblem(await rpc(sent, header('2026-07-28')), ...UNSUPPORTED)
  const { detail, hint } = (await rpc(ping, header('2025-06-18'))).json as Record<string, string>
  assert.match(detail ?? '', /2025-03-26/)
  assert.equal(hint, 'Send MCP-Protocol-Version: 2025-03-26, or leave the header out.')
})

test('an older version or nonsense is 400, on initialize too', async ({ rpc }) => {
  const versions = ['2024-11-05', '2025-03-25', '1.0', 'latest', 'DRAFT-2026-v1', '2025-3-26', '20250618', '2026-13-45']
  versions.push('9999', '2025-03-26, 2025-06-18', '2025-06-18Z')
  for (const version of versions)
    for (const sent of [initialize, ping]) assertMcpProblem(await rpc(sent, header(version)), ...UNSUPPORTED)
})

nodeTest('X-Service-Api-Version is on 200, 202 and 429, and nowhere else', async (t) => {
  const { rpc, send, get, databaseUrl, key, createKey } = await startModernService(t)
  const { token } = await createKey({ quota: { limit: 1, windowSeconds: 60 } })
  const spent = { authorization: `Bearer ${token}` }
  const responses = [
    await rpc(ping, spent),
    await rpc({ ...ping, method: 'no/such' }),
    await rpc(initialized),
    await rpc(ping, spent),
    await rpc('{'),
    await rpc(ping, header('2024-11-05')),
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

/** A JSON-RPC error in a 4xx, or the version on a 2xx, belongs to the new version; a problem, or the old version, to the old one. */
function versionOf({ status, headers }: HttpResponse): string {
  if (status < 300) return headers['x-service-api-version'] ?? 'none'
  return headers['content-type'] === 'application/json' ? '2026-07-28' : '2025-03-26'
}

const modern: [what: string, body: unknown, headers: Headers][] = [
  ['metadata with this version', message('tools/list', { _meta: { [V]: '2026-07-28' } }), {}],
  ['metadata with a later version', message('tools/list', { _meta: { [V]: '2027-01-01' } }), {}],
  ['metadata with a version that is no text', message('tools/list', { _meta: { [V]: 20250326 } }), {}],
  ['metadata with this version, on initialize', message('initialize', { _meta: { [V]: '2026-07-28' } }), {}],
  [
    'metadata with this version, whatever the header',
    message('ping', { _meta: { [V]: '2026-07-28' } }),
    header('2025-03-26'),
  ],
  ['the header of this version', message('tools/list'), header('2026-07-28')],
  ['the header of a later version', message('tools/list'), header('2026-07-29')],
  [
    'the header of this version, with metadata of the old one',
    message('tools/list', { _meta: { [V]: '2025-03-26', [C]: {} } }),
    header('2026-07-28'),
  ],
  ['the header of this version on what is not JSON', '{', header('2026-07-28')],
  ['the header of this version on a batch', [message('initialize')], header('2026-07-28')],
  ['a method that is no text', { jsonrpc: '2.0', id: 1, method: ['initialize'] }, header('2026-07-28')],
  ['metadata in a broken request', { jsonrpc: '1.0', id: 1, params: { _meta: { [V]: '2026-07-28' } } }, {}],
  ['a notification with the header', { jsonrpc: '2.0', method: 'x' }, header('2026-07-28')],
]

const old: [what: string, body: unknown, headers: Headers][] = [
  ['neither', message('tools/list'), {}],
  ['the header of the old version', message('tools/list'), header('2025-03-26')],
  ['the header of the day before', message('tools/list'), header('2026-07-27')],
  ['a header that sorts after, and is no date', message('tools/list'), header('2026-07-28x')],
  ['a header with a day that does not exist', message('tools/list'), header('2026-13-45')],
  ['the header twice', message('tools/list'), { 'mcp-protocol-version': ['2026-07-28', '2026-07-28'] }],
  ['initialize with the header of this version', message('initialize'), header('2026-07-28')],
  ['metadata with the old version', message('tools/list', { _meta: { [V]: '2025-03-26' } }), {}],
  [
    'metadata with the old version, and its header',
    message('ping', { _meta: { [V]: '2025-03-26' } }),
    header('2025-03-26'),
  ],
  ['metadata without a version', message('ping', { _meta: { [C]: {}, progressToken: 1 } }), {}],
  ['a version beside the metadata', message('ping', { [V]: '2026-07-28', protocolVersion: '2026-07-28' }), {}],
  ['what is not JSON', '{', {}],
]

test('a request is handled in the protocol version that its metadata or its header names', async ({ post }) => {
  for (const [what, body, headers] of modern) assert.equal(versionOf(await post(body, headers)), '2026-07-28', what)
  for (const [what, body, headers] of old) assert.equal(versionOf(await post(body, headers)), '2025-03-26', what)
})
