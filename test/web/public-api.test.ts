import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { ApiRequest, ApiResponse } from '../../src/api/public-api.ts'
import { hashToken } from '../../src/lib/key-format.ts'
import { connectElsewhere, testOnce } from '../support/database.ts'
import { exchange, type HttpResponse } from '../support/exchange.ts'
import { openRaw } from '../support/raw.ts'
import { type Service, startService } from '../support/service.ts'
import { setArchived } from '../support/workspaces.ts'

const caller = { address: '203.0.113.7', agent: 'Vitrine-settings' }
const DEPRECATED = '{"/tasks":{"deprecation":"2026-11-01T00:00:00Z"}}'

const requestsOf = ({ publicApi: { agentRequest } }: Service): ApiRequest[] => [
  { method: 'GET', path: '/workspace', headers: {} },
  { method: 'GET', path: '/tasks', headers: {} },
  agentRequest('server/discover'),
  agentRequest('tools/list'),
  agentRequest('tools/call', { name: 'get_workspace', arguments: {} }),
  agentRequest('tools/call', { name: 'list_tasks', arguments: { limit: 2, dueBefore: '2026-11-20' } }),
  agentRequest('tools/call', { name: 'list_tasks', arguments: { limit: 'many' } }),
]

/** What HTTP adds to each response, and what differs between any two requests. */
const OWN = ['date', 'connection', 'keep-alive', 'x-request-id', 'ratelimit-remaining']

function comparable({ status, headers, body }: Pick<HttpResponse, 'status' | 'headers' | 'body'>) {
  const requestId = headers['x-request-id'] ?? ''
  assert.match(requestId, /^[0-9a-f-]{36}$/)
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN.includes(name))),
    body: body.toString().replaceAll(requestId, 'its-id'),
  }
}

const named = ({ headers }: ApiResponse) =>
  Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]))

/** Performs each request, then sends it with the key; both must get the same response. Returns the statuses. */
async function compareAll(service: Service, token: string): Promise<number[]> {
  const statuses: number[] = []
  for (const request of requestsOf(service)) {
    const performed = await service.publicApi.perform(hashToken(token), request, caller)
    const { path, method, headers, body } = request
    const authorization = `Bearer ${token}`
    const sent = { method, headers: { ...headers, authorization }, ...(body !== undefined && { body }) }
    const response = await exchange(service.url, path, sent)
    const own = named(performed)
    assert.deepEqual(comparable({ ...performed, headers: own }), comparable(response), `${method} ${path} ${body}`)
    const [before, after] = [own['ratelimit-remaining'], response.headers['ratelimit-remaining']]
    if (performed.status !== 429)
      assert.equal(before, after && String(Number(after) + 1), 'each has a place of its own')
    statuses.push(performed.status)
  }
  return statuses
}

test('a request on a person’s behalf gets the same response as the key’s holder, in every state of the key', async (t) => {
  const service = await startService(t, { env: { LIFECYCLE: DEPRECATED } })
  await service.addTasks([
    { id: 'one', title: 'Prüfe <b>alles</b> 🧵', dueAt: '2026-11-19T10:00:00.000Z' },
    { id: 'two', details: 'x'.repeat(10_000), dueAt: '2026-11-18T10:00:00.000Z' },
    { id: 'three' },
  ])
  const { createKey, keys, key } = service
  assert.deepEqual(await compareAll(service, key), [200, 200, 200, 200, 200, 200, 200])
  const narrow = await createKey({ permissions: ['workspace:read'] })
  assert.deepEqual(await compareAll(service, narrow.token), [200, 403, 200, 200, 200, 200, 200])
  const slow = await createKey({ quota: { limit: 1, windowSeconds: 60 } })
  assert.equal(
    (await service.publicApi.perform(hashToken(slow.token), requestsOf(service)[0] as ApiRequest, caller)).status,
    200,
  )
  assert.deepEqual(await compareAll(service, slow.token), Array(7).fill(429))
  const paused = await createKey()
  await keys.pause(paused.id)
  assert.deepEqual(await compareAll(service, paused.token), Array(7).fill(401))
  await keys.resume(paused.id)
  assert.deepEqual(await compareAll(service, paused.token), [200, 200, 200, 200, 200, 200, 200])
  const revoked = await createKey()
  await keys.revoke(revoked.id)
  assert.deepEqual(await compareAll(service, revoked.token), Array(7).fill(401))
  const expired = await createKey({ expiresAt: new Date(service.time.now).toISOString() })
  assert.deepEqual(await compareAll(service, expired.token), Array(7).fill(401))
  await setArchived(service, new Date(service.time.now).toISOString())
  assert.deepEqual(await compareAll(service, key), [404, 200, 200, 200, 200, 200, 200])
})

test('a request that is sent after one on a person’s behalf sees what changed in between', async (t) => {
  const { publicApi, key, url, databaseUrl } = await startService(t)
  const elsewhere = await connectElsewhere(databaseUrl, t)
  const connection = await openRaw(url)
  const request = `GET /workspace HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`
  connection.write(request)
  assert.match((await connection.next()).text, /Acme Buying/)
  // Between two ticks, as after a pause of a long read.
  await setImmediate()
  const performed = publicApi.perform(hashToken(key), { method: 'GET', path: '/workspace', headers: {} }, caller)
  // SQLite commits at once.
  const change = elsewhere.run("UPDATE workspaces SET name = 'Renamed'")
  if (databaseUrl.startsWith('postgres')) await change
  connection.write(request)
  assert.match((await connection.next()).text, /Renamed/)
  assert.equal((await performed).status, 200)
  await change
})

test('a request on a person’s behalf is a use of the key, and a line in the log', async (t) => {
  const service = await startService(t)
  const { publicApi, key, logLines } = service
  const { headers } = await publicApi.perform(hashToken(key), { method: 'GET', path: '/tasks', headers: {} }, caller)
  await service.untilRecorded({ uses: 1 })
  const [use] = await service.operator.read((tx) => tx.all('SELECT count, last_client AS client FROM key_use'))
  assert.deepEqual({ ...(use as object) }, { count: 1, client: 'Vitrine-settings at 203.0.113.7' })
  const callers = await service.operator.read((tx) => tx.all('SELECT address, agent, count FROM key_callers'))
  assert.deepEqual({ ...(callers[0] as object) }, { address: '203.0.113.7', agent: 'Vitrine-settings', count: 1 })
  const requestId = headers.find(([name]) => name === 'X-Request-Id')?.[1]
  const [line] = logLines.map((text) => JSON.parse(text)).filter((entry) => entry.requestId === requestId)
  assert.deepEqual([line.method, line.path, line.status, line.client], ['GET', '/tasks', 200, '203.0.113.7'])
})

testOnce('nothing but operations of the API is performed on a person’s behalf', async (t) => {
  const { publicApi } = await startService(t)
  for (const path of ['/settings', '/openapi.json', '/tasks?limit=1', '//tasks'])
    await assert.rejects(
      publicApi.perform(hashToken('any'), { method: 'GET', path, headers: {} }, caller),
      /operations/,
    )
})

test('the quota in use is shown without counting', async (t) => {
  const service = await startService(t)
  const { publicApi, createKey, time } = service
  const quota = { limit: 5, windowSeconds: 60 }
  const { token, id } = await createKey({ quota })
  assert.equal(await publicApi.quotaInUse(id, quota), undefined)
  for (let i = 0; i < 2; i++) await service.get('/tasks', { authorization: `Bearer ${token}` })
  const open = { used: 2, resetsAt: time.now + 60_000 }
  for (let i = 0; i < 3; i++) assert.deepEqual(await publicApi.quotaInUse(id, quota), open)
  time.now += 60_000
  assert.equal(await publicApi.quotaInUse(id, quota), undefined)
})

test('a preview reads what the permissions allow, and leaves no trace', async (t) => {
  const service = await startService(t)
  const { publicApi, logLines, time } = service
  await service.addTasks([{ id: 'one', title: 'First' }])
  const [{ id } = { id: '' }] = await service.operator.read((tx) => tx.all<{ id: string }>('SELECT id FROM workspaces'))
  const preview = async (permissions: string[], method: string, params = {}) => {
    const access = { workspaceId: id, permissions, available: true, now: time.now }
    return JSON.parse((await publicApi.preview(access, publicApi.agentRequest(method, params))).toString())
  }
  const call = { name: 'list_tasks', arguments: {} }
  const { result } = await preview(['tasks:read'], 'tools/call', call)
  assert.equal(result.structuredContent.tasks[0].title, 'First')
  await service.addTasks([{ id: 'two', title: 'Second' }])
  assert.equal((await preview(['tasks:read'], 'tools/call', call)).result.structuredContent.tasks.length, 2)
  assert.equal((await preview(['workspace:read'], 'tools/call', call)).error.data.code, 'tool_not_found')
  const { tools } = (await preview(['workspace:read'], 'tools/list')).result
  assert.deepEqual(
    tools.map(({ name }: { name: string }) => name),
    ['get_workspace'],
  )
  await service.stop()
  assert.deepEqual(logLines, [])
  assert.deepEqual(await service.operator.read((tx) => tx.all('SELECT * FROM key_use')), [])
})
