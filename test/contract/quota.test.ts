// On both engines: each engine counts in its own way.
import assert from 'node:assert/strict'
import test from 'node:test'
import { assertMcpProblem, assertProblem } from '../support/assertions.ts'
import { startContractService, withQuota } from '../support/contract-service.ts'
import { assertRpcError, modernHeaders, modernRequest, startModernService } from '../support/modern-client.ts'
import { setArchived } from '../support/workspaces.ts'

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }
const EVIL = { origin: 'https://evil.example' }

test('each request takes one from the quota, and the headers count down', async (t) => {
  const { get, time } = await startContractService(t, withQuota(3))
  const seen: string[] = []
  for (let n = 0; n < 3; n++) {
    const { headers } = await get('/workspace')
    seen.push(`${headers['ratelimit-remaining']} left, ${headers['ratelimit-reset']} s`)
    assert.equal(headers['ratelimit-limit'], '3')
    assert.equal(headers['ratelimit-policy'], '3;w=60')
    assert.equal(headers['retry-after'], undefined)
    time.now += 10_000
  }
  assert.deepEqual(seen, ['2 left, 60 s', '1 left, 50 s', '0 left, 40 s'])
})

test('a request over the quota is 429 with Retry-After, on MCP with the protocol version', async (t) => {
  const { get, rpc, send, key, time } = await startContractService(t, withQuota(1))
  await get('/workspace')
  time.now += 18_500
  const headers = {
    'ratelimit-limit': '1',
    'ratelimit-policy': '1;w=60',
    'ratelimit-remaining': '0',
    'ratelimit-reset': '42',
    'retry-after': '42',
  }
  for (const path of ['/workspace', '/tasks']) assertProblem(await get(path), 429, 'rate_limited', headers)
  for (const [asked, version] of [
    ['2026-07-28', '2026-07-28'],
    ['2025-03-26', '2025-03-26'],
    ['2025-11-25', '2025-03-26'],
    ['2027-01-01', '2025-03-26'],
    ['latest', '2025-03-26'],
    ['__proto__', '2025-03-26'],
  ] as const) {
    const response = await rpc(PING, { 'mcp-protocol-version': asked }, '/v2/mcp')
    assertMcpProblem(response, 429, 'rate_limited', { ...headers, 'x-service-api-version': version })
  }
  assertMcpProblem(await rpc(PING), 429, 'rate_limited', { ...headers, 'x-service-api-version': '2025-03-26' })
  const head = await send('/workspace', { method: 'HEAD', headers: { authorization: `Bearer ${key}` } })
  assert.deepEqual([head.status, head.body.length, head.headers['retry-after']], [429, 0, '42'])
})

test('of simultaneous requests on REST and MCP, which share the quota, exactly as many pass as it allows', async (t) => {
  const { get, rpc } = await startContractService(t, withQuota(20))
  const ways = [() => get('/workspace'), () => get('/tasks'), () => rpc(PING), () => rpc(PING, {}, '/v1/mcp')]
  const responses = await Promise.all(
    Array.from({ length: 50 }, (_, n) => (ways[n % 4] as () => ReturnType<typeof get>)()),
  )
  const passed = responses.filter(({ status }) => status === 200)
  assert.equal(responses.filter(({ status }) => status === 429).length, 30)
  const left = passed.map(({ headers }) => Number(headers['ratelimit-remaining'])).sort((a, b) => a - b)
  assert.deepEqual(
    left,
    Array.from({ length: 20 }, (_, n) => n),
  )
})

test('the end of the window restores the whole quota, and not a moment before, whatever was refused meanwhile', async (t) => {
  const { get, time } = await startContractService(t, withQuota(2, 30))
  await get('/tasks')
  time.now += 20_000
  await get('/tasks')
  for (let second = 0; second < 9; second++) {
    assert.equal((await get('/tasks')).status, 429)
    time.now += 1000
  }
  time.now += 999
  const last = await get('/tasks')
  assert.deepEqual([last.status, last.headers['retry-after'], last.headers['ratelimit-reset']], [429, '1', '1'])
  time.now += 1
  const next = await get('/tasks')
  assert.deepEqual(
    [next.status, next.headers['ratelimit-remaining'], next.headers['ratelimit-reset']],
    [200, '1', '30'],
  )
})

test('every authenticated request costs one, whatever its response', async (t) => {
  const service = await startModernService(t)
  const { get, rpc, send, ask, post, key, createKey } = service
  const remaining = async () => Number((await get('/workspace')).headers['ratelimit-remaining'])
  const etag = (await get('/workspace')).headers.etag ?? ''
  const authorization = `Bearer ${key}`
  const modern = { 'mcp-protocol-version': '2026-07-28' }
  const tries: [status: number, ask: () => Promise<{ status: number }>][] = [
    [304, () => get('/workspace', { 'if-none-match': etag })],
    [200, () => send('/tasks', { method: 'HEAD', headers: { authorization } })],
    [400, () => rpc('not JSON')],
    [400, () => rpc(PING, { 'content-type': 'text/plain' })],
    [400, () => rpc(PING, { 'mcp-protocol-version': '2024-11-05' })],
    [403, () => rpc(PING, EVIL)],
    [202, () => rpc({ jsonrpc: '2.0', method: 'notifications/initialized' })],
    [200, () => rpc({ jsonrpc: '2.0', id: 1, method: 'no/such' })],
    [200, () => ask('server/discover')],
    [200, () => ask('tools/call', { name: 'no_such_tool' })],
    [404, () => ask('no/such')],
    [400, () => ask('tools/list', {}, { 'mcp-method': 'x' })],
    [400, () => post('{', modern)],
    [202, () => post({ jsonrpc: '2.0', method: 'x' }, modern)],
  ]
  for (const [status, ask] of tries) {
    const before = await remaining()
    assert.equal((await ask()).status, status)
    assert.equal(await remaining(), before - 2, `${status} costs one`)
  }
  const narrow = { authorization: `Bearer ${(await createKey({ permissions: ['tasks:read'] })).token}` }
  assert.equal((await get('/workspace', narrow)).headers['ratelimit-remaining'], '599')
  assert.equal((await get('/workspace', narrow)).headers['ratelimit-remaining'], '598')
  await setArchived(service, '2026-11-15T11:00:00.000Z')
  const gone = await get('/workspace')
  assert.equal(gone.status, 404)
  assert.equal(await remaining(), Number(gone.headers['ratelimit-remaining']) - 1)
})

test('a refused key, a wrong method, OPTIONS and an unknown path cost nothing', async (t) => {
  const { get, send, key } = await startContractService(t)
  const headers = { authorization: `Bearer ${key}` }
  assert.equal((await get('/workspace')).headers['ratelimit-remaining'], '599')
  const statuses = [
    (await send('/workspace', { headers: { authorization: `Bearer ${key}x` } })).status,
    (await send('/workspace', { method: 'DELETE', headers })).status,
    (await send('/mcp', { headers })).status,
    (await send('/workspace', { method: 'OPTIONS', headers })).status,
    (await send('/nothing', { headers })).status,
    (await send('/openapi.json', { headers })).status,
    (await send('/healthz', { headers })).status,
  ]
  assert.deepEqual(statuses, [401, 405, 405, 204, 404, 200, 200])
  assert.equal((await get('/workspace')).headers['ratelimit-remaining'], '598')
})

test('the checks come in their order: method, key, quota, permission, origin, media type, body, protocol', async (t) => {
  const { post, rpc, send, get, createKey } = await startModernService(t, withQuota(5))
  const bad = { ...EVIL, 'content-type': 'text/plain', 'mcp-protocol-version': '2026-07-28' }
  for (const path of ['/mcp', '/v2/mcp', '/workspace'])
    assert.equal((await send(path, { method: 'PUT', headers: bad })).status, 405)
  assert.equal((await post('{', { ...bad, authorization: 'Bearer x' })).status, 401)
  assertMcpProblem(await post('{', bad), 403, 'origin_not_allowed')
  assertMcpProblem(await post('{', { ...bad, origin: undefined }), 400, 'unsupported_media_type')
  const version = { 'mcp-protocol-version': '2026-07-28' }
  assertMcpProblem(await post(' '.repeat(1_048_577), version), 400, 'payload_too_large')
  assertRpcError(await post('{', version), { status: 400, error: -32700, problem: 'invalid_json' })
  assert.equal((await rpc('not JSON')).headers['ratelimit-remaining'], '0')
  assertMcpProblem(await post('{', bad), 429, 'rate_limited')
  const limited = { authorization: `Bearer ${(await createKey({ permissions: ['tasks:read'] })).token}` }
  // Of a tool, the permission is checked last.
  const call = modernRequest('tools/call', { name: 'get_workspace' })
  const response = await post(call, { ...modernHeaders('tools/call', 'x'), ...limited })
  assertRpcError(response, { status: 400, error: -32020, problem: 'header_mismatch', id: '1' })
  for (const status of [403, 403, 403, 403, 429]) assert.equal((await get('/workspace', limited)).status, status)
})
