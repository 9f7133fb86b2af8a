import assert from 'node:assert/strict'
import test from 'node:test'
import { assertMcpProblem, assertProblem } from '../support/assertions.ts'
import { startContractService, withQuota } from '../support/contract-service.ts'
import { testOnce } from '../support/database.ts'

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

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

test('a request over the quota is 429 with Retry-After on REST', async (t) => {
  const { get, time } = await startContractService(t, withQuota(1))
  await get('/workspace')
  time.now += 18_500
  for (const path of ['/workspace', '/tasks']) {
    const response = await get(path)
    assertProblem(response, 429, 'rate_limited', {
      'ratelimit-limit': '1',
      'ratelimit-policy': '1;w=60',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '42',
      'retry-after': '42',
    })
  }
})

testOnce('a request over the quota is 429 with the protocol version on MCP', async (t) => {
  const { get, rpc } = await startContractService(t, withQuota(1))
  await get('/workspace')
  for (const path of ['/mcp', '/v1/mcp']) {
    const response = await rpc(PING, {}, path)
    assertMcpProblem(response, 429, 'rate_limited', {
      'ratelimit-limit': '1',
      'ratelimit-policy': '1;w=60',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '60',
      'retry-after': '60',
      'x-service-api-version': '2025-03-26',
    })
  }
})

testOnce('HEAD over the quota is 429 with the headers of GET and no body', async (t) => {
  const { get, send, key } = await startContractService(t, withQuota(1))
  await get('/workspace')
  const head = await send('/workspace', { method: 'HEAD', headers: { authorization: `Bearer ${key}` } })
  assert.equal(head.status, 429)
  assert.equal(head.body.length, 0)
  assert.equal(head.headers['retry-after'], '60')
})

test('of 50 simultaneous requests, exactly as many pass as the quota allows', async (t) => {
  const { get } = await startContractService(t, withQuota(20))
  const responses = await Promise.all(Array.from({ length: 50 }, () => get('/workspace')))
  const passed = responses.filter(({ status }) => status === 200)
  assert.equal(passed.length, 20)
  assert.equal(responses.filter(({ status }) => status === 429).length, 30)
  const left = passed.map(({ headers }) => Number(headers['ratelimit-remaining'])).sort((a, b) => a - b)
  assert.deepEqual(
    left,
    Array.from({ length: 20 }, (_, n) => n),
  )
})

test('the end of the window restores the whole quota, and not a moment before', async (t) => {
  const { get, time } = await startContractService(t, withQuota(2, 30))
  await get('/tasks')
  time.now += 20_000
  await get('/tasks')
  time.now += 9_999
  const last = await get('/tasks')
  assert.equal(last.status, 429)
  assert.equal(last.headers['retry-after'], '1')
  assert.equal(last.headers['ratelimit-reset'], '1')
  time.now += 1
  const next = await get('/tasks')
  assert.equal(next.status, 200)
  assert.equal(next.headers['ratelimit-remaining'], '1')
  assert.equal(next.headers['ratelimit-reset'], '30')
})

test('refused requests do not postpone the end of the window', async (t) => {
  const { get, time } = await startContractService(t, withQuota(1, 10))
  const statuses: number[] = []
  for (let second = 0; second <= 10; second++) {
    statuses.push((await get('/tasks')).status)
    time.now += 1000
  }
  assert.deepEqual(statuses, [200, 429, 429, 429, 429, 429, 429, 429, 429, 429, 200])
})

test('Retry-After is never 0, and a client that waits that long is served', async (t) => {
  const { get, createKey, time } = await startContractService(t)
  for (const [elapsedMs, seconds] of [
    [0, '7'],
    [1, '7'],
    [1000, '6'],
    [6000, '1'],
    [6999, '1'],
  ] as const) {
    const { token } = await createKey({ quota: { limit: 1, windowSeconds: 7 } })
    const ask = () => get('/tasks', { authorization: `Bearer ${token}` })
    await ask()
    time.now += elapsedMs
    const refused = await ask()
    assert.equal(refused.status, 429)
    assert.equal(refused.headers['retry-after'], seconds)
    time.now += Number(seconds) * 1000
    assert.equal((await ask()).status, 200)
  }
})
