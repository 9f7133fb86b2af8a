// On both engines: each engine records in its own way.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPublicStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { resources } from '../../src/resources/index.ts'
import { updateWorkspace } from '../support/changes.ts'
import { failingResource } from '../support/failing-resource.ts'
import { QUOTA } from '../support/operator.ts'
import { openAdmitted } from '../support/raw.ts'
import { type Service, startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const tool = (name: string) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } })

const sumsIn = async ({ operator }: Service) =>
  (
    await operator.read((tx) =>
      tx.all<{ label: string; day: string; refused: string; count: number }>(
        `SELECT k.label, u.day, u.refused, u.count
         FROM api_keys k JOIN key_use u ON u.key_id = k.id ORDER BY k.label, u.day, u.refused`,
      ),
    )
  ).map((sum) => ({ ...sum, count: Number(sum.count) }))

test('nothing is recorded about a purged key, unlike one whose workspace is gone', async (t) => {
  const { createKey, operator, databaseUrl } = await startService(t)
  const [purged, kept] = [await createKey({ label: 'purged' }), await createKey({ label: 'kept' })]
  await operator.transaction(async (tx) => {
    await tx.run('DELETE FROM api_keys WHERE id = ?', purged.id)
    await tx.run("DELETE FROM workspaces WHERE slug = 'acme'")
  })
  const store = await openPublicStore(parseDatabaseUrl(databaseUrl), resources, {
    defaultQuota: QUOTA,
    onUseFailure: (error) => assert.fail(String(error)),
  })
  const caller = { address: '203.0.113.7', agent: 'curl/8' }
  for (const { id: keyId } of [purged, kept]) {
    store.recordRequest(
      { keyId },
      {
        ...{ requestId: 'r', caller, operation: 'GET /tasks', tool: undefined, argumentNames: undefined },
        ...{ status: 200, errorCode: undefined, refusalReason: undefined, ms: 1, bytes: 2 },
      },
    )
  }
  await store.close()
  for (const table of ['key_use', 'request_log']) {
    const rows = await operator.read((tx) => tx.all<{ id: string }>(`SELECT key_id AS id FROM ${table}`))
    assert.deepEqual(
      rows.map(({ id }) => id),
      [kept.id],
      table,
    )
  }
})

test('every request is counted once, as served or for the reason it was refused', async (t) => {
  const service = await startService(t, {
    resources: [...resources, { ...failingResource(new Error('broken')), permission: 'failing:read' }],
  })
  const { url, createKey, keys } = service
  const body = JSON.stringify(tool('get_workspace'))
  const used = async (label: string, use: (token: string, id: string) => Promise<unknown>, permissions?: string[]) => {
    const quota = label.startsWith('over quota') ? { limit: 1, windowSeconds: 3600 } : null
    const { token, id } = await createKey({ label, quota, ...(permissions && { permissions }) })
    await use(token, id)
  }
  const get = async (token: string, path: string, status: number, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}`, ...headers } })
    await response.arrayBuffer()
    assert.equal(response.status, status)
    return response
  }
  const post = async (token: string, message: unknown, status: number, headers: Record<string, string> = {}) => {
    const sent = { authorization: `Bearer ${token}`, ...JSON_TYPE, ...headers }
    const response = await fetch(`${url}/mcp`, { method: 'POST', headers: sent, body: JSON.stringify(message) })
    await response.arrayBuffer()
    assert.equal(response.status, status)
  }

  await used('served', (token) => get(token, '/tasks', 200))
  await used('not modified', async (token) => {
    const etag = (await get(token, '/tasks', 200)).headers.get('etag') ?? ''
    await get(token, '/tasks', 304, { 'if-none-match': etag })
  })
  await used('failed', (token) => get(token, '/failing', 500), ['failing:read'])
  await used('bad request', (token) => post(token, [], 400))
  await used('no such tool', (token) => post(token, tool('nope'), 200))
  await used('notification', (token) => post(token, { jsonrpc: '2.0', method: 'notifications/initialized' }, 202))
  await used('wrong method', (token) => get(token, '/mcp', 405))
  await used('late body', async (token) => {
    const connection = await openAdmitted(url, token, body.length)
    connection.write(body)
    assert.equal((await connection.next()).status, 200)
    connection.socket.destroy()
  })
  await used('client left', async (token) => {
    const connection = await openAdmitted(url, token, body.length)
    connection.socket.destroy()
    await waitUntil(() => service.logLines.some((line) => line.includes('"gone"')))
  })
  await used('forbidden', (token) => get(token, '/tasks', 403), ['workspace:read'])
  await used('forbidden tool', (token) => post(token, tool('list_tasks'), 200), ['workspace:read'])
  await used('over quota', async (token) => {
    await get(token, '/tasks', 200)
    for (let n = 0; n < 3; n++) await get(token, '/tasks', 429)
  })
  await used('in a browser', (token) => post(token, tool('get_workspace'), 403, { origin: 'https://x.example' }))
  await used('own page', (token) => post(token, tool('get_workspace'), 200, { origin: url }))
  await used('paused meanwhile', async (token, id) => {
    const connection = await openAdmitted(url, token, body.length)
    await keys.pause(id)
    connection.write(body)
    assert.equal((await connection.next()).status, 401)
    connection.socket.destroy()
    await get(token, '/tasks', 401)
  })
  await service.stop()

  assert.deepEqual(
    (await sumsIn(service)).map(({ label, refused, count }) => [label, refused, count]),
    [
      ['bad request', '', 1],
      ['client left', '', 1],
      ['failed', '', 1],
      ['forbidden', 'forbidden', 1],
      ['forbidden tool', 'forbidden', 1],
      ['in a browser', 'browser', 1],
      ['late body', '', 1],
      ['no such tool', '', 1],
      ['not modified', '', 2],
      ['notification', '', 1],
      ['over quota', '', 1],
      ['over quota', 'over_quota', 3],
      ['own page', '', 1],
      ['paused meanwhile', 'paused', 2],
      ['served', '', 1],
    ],
  )
  const states = await service.operator.read((tx) =>
    tx.all<{ label: string; why: string | null; leaked: string | null; used: string | null }>(
      'SELECT label, last_used_at AS used, last_refusal AS why, leaked_in AS leaked FROM api_keys',
    ),
  )
  const stateOf = (wanted: string) => {
    const { used, why, leaked } = states.find(({ label }) => label === wanted) ?? assert.fail(wanted)
    return [used !== null, why, leaked]
  }
  assert.deepEqual(stateOf('served'), [true, null, null])
  assert.deepEqual(stateOf('over quota'), [true, 'over_quota', null])
  assert.deepEqual(stateOf('forbidden'), [false, 'forbidden', null])
  assert.deepEqual(stateOf('in a browser'), [false, 'browser', 'browser'])
  assert.deepEqual(stateOf('own page'), [true, null, null])
})

test("requests are counted on the workspace's days, and a key in a URL is a leak of it", async (t) => {
  const service = await startService(t)
  const use = async (at: string) => {
    service.time.now = Date.parse(at)
    assert.equal((await service.get('/tasks')).status, 200)
    assert.equal((await service.get(`/tasks?key=${service.key}`)).status, 200)
  }
  // In Auckland, 13 hours ahead, midnight is at 11:00 in UTC.
  await updateWorkspace(service.operator, 'acme', { timezone: 'Pacific/Auckland' }, 'test')
  await use('2026-11-15T10:59:59.999Z')
  await service.untilRecorded({ requests: 2, leaks: 1 })
  await use('2026-11-15T11:00:00.000Z')
  await service.stop()
  assert.deepEqual(
    (await sumsIn(service)).map(({ day, refused, count }) => [day, refused, count]),
    [
      ['2026-11-15', '', 2],
      ['2026-11-16', '', 2],
    ],
  )
  const [key] = await service.keys.list('acme')
  const at = '2026-11-15T11:00:00.000Z'
  assert.deepEqual([key?.lastUsedAt, key?.lastRefusal, key?.leak], [at, null, { seen: 'url', at }])
})
