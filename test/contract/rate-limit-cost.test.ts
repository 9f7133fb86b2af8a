import assert from 'node:assert/strict'
import test from 'node:test'
import { startContractService, withQuota } from '../support/contract-service.ts'
import { testOnce } from '../support/database.ts'
import { createBareWorkspace, setArchived } from '../support/workspaces.ts'

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

test('REST and MCP share the one quota of the key, also at once', async (t) => {
  const { get, rpc } = await startContractService(t, withQuota(20))
  const asked = Array.from(
    { length: 50 },
    (_, n) => [() => get('/workspace'), () => get('/tasks'), () => rpc(PING), () => rpc(PING, {}, '/v1/mcp')][n % 4],
  )
  const responses = await Promise.all(asked.map((ask) => ask?.()))
  assert.equal(responses.filter((response) => response?.status === 200).length, 20)
})

test('every authenticated request costs one, whatever its response', async (t) => {
  const service = await startContractService(t)
  const { get, rpc, send, key, createKey } = service
  const remaining = async () => Number((await get('/workspace')).headers['ratelimit-remaining'])
  const etag = (await get('/workspace')).headers.etag ?? ''
  const authorization = `Bearer ${key}`
  const tries: [status: number, ask: () => Promise<{ status: number }>][] = [
    [304, () => get('/workspace', { 'if-none-match': etag })],
    [200, () => send('/tasks', { method: 'HEAD', headers: { authorization } })],
    [400, () => rpc('not JSON')],
    [400, () => rpc(PING, { 'content-type': 'text/plain' })],
    [400, () => rpc(PING, { 'mcp-protocol-version': '2024-11-05' })],
    [403, () => rpc(PING, { origin: 'https://evil.example' })],
    [202, () => rpc({ jsonrpc: '2.0', method: 'notifications/initialized' })],
    [200, () => rpc({ jsonrpc: '2.0', id: 1, method: 'no/such' })],
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

testOnce('errors advertise the policy, and the state of the window only if a key was recognised', async (t) => {
  const { get, rpc, send, key, createKey } = await startContractService(t)
  const headers = { authorization: `Bearer ${key}` }
  const narrow = { authorization: `Bearer ${(await createKey({ permissions: ['tasks:read'] })).token}` }
  const withState = [await get('/workspace', narrow), await rpc('not JSON'), await rpc(PING, { origin: 'null' })]
  const without = [
    await send('/workspace'),
    await send('/mcp', { method: 'POST' }),
    await send('/workspace', { method: 'PUT', headers }),
    await send('/workspace', { method: 'OPTIONS', headers }),
    await send('/mcp', { headers }),
  ]
  for (const response of [...withState, ...without]) {
    assert.equal(response.headers['ratelimit-limit'], '600')
    assert.equal(response.headers['ratelimit-policy'], '600;w=60')
    const known = withState.includes(response)
    assert.equal('ratelimit-remaining' in response.headers, known, `${response.status}`)
    assert.equal('ratelimit-reset' in response.headers, known, `${response.status}`)
    assert.equal(response.headers['retry-after'], undefined)
  }
})

test('a key with its own quota is held to it, and its headers show it', async (t) => {
  const { get, createKey } = await startContractService(t)
  const { token } = await createKey({ quota: { limit: 2, windowSeconds: 5 } })
  const own = () => get('/tasks', { authorization: `Bearer ${token}` })
  const first = await own()
  assert.equal(first.headers['ratelimit-limit'], '2')
  assert.equal(first.headers['ratelimit-policy'], '2;w=5')
  assert.equal(first.headers['ratelimit-remaining'], '1')
  assert.equal(first.headers['ratelimit-reset'], '5')
  await own()
  const refused = await own()
  assert.equal(refused.status, 429)
  assert.equal(refused.headers['retry-after'], '5')
  assert.equal((await get('/tasks')).headers['ratelimit-policy'], '600;w=60')
})

test('the quota belongs to the key: another key of the workspace has its own', async (t) => {
  const service = await startContractService(t, withQuota(1))
  const { get, createKey } = service
  const { token } = await createKey()
  const other = await createBareWorkspace(service)
  assert.equal((await get('/tasks')).status, 200)
  assert.equal((await get('/tasks')).status, 429)
  assert.equal((await get('/tasks', { authorization: `Bearer ${token}` })).status, 200)
  assert.equal((await get('/tasks', { authorization: `Bearer ${other.key}` })).status, 200)
})

test('the quota comes before the permission and before the body', async (t) => {
  const { get, rpc, createKey } = await startContractService(t, withQuota(1))
  const narrow = { authorization: `Bearer ${(await createKey({ permissions: ['tasks:read'] })).token}` }
  assert.equal((await get('/workspace', narrow)).status, 403)
  assert.equal((await get('/workspace', narrow)).status, 429)
  assert.equal((await rpc('not JSON')).status, 400)
  assert.equal((await rpc('not JSON')).status, 429)
})
