import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createToken } from '../../src/lib/key-format.ts'
import { replicaOf } from '../support/replicas.ts'
import { startService } from '../support/service.ts'
import { ANA, connector, GRANT, granted } from './connector.ts'

const PUBLIC_URL = 'https://vitrine.example'
const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

async function start(t: TestContext) {
  const service = await startService(t, { env: { PUBLIC_URL } })
  await service.addMember(ANA, 'owner')
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  return {
    ...service,
    ...connector(service.operator, service.time),
    ask: (token: string, path = '/tasks') => service.get(path, bearer(token)),
    status: async (token: string) => {
      const rest = (await service.get('/tasks', bearer(token))).status
      for (const path of ['/mcp', '/v1/mcp', '/v2/mcp'])
        assert.equal((await service.rpc(LIST, bearer(token), path)).status, rest, path)
      return rest
    },
  }
}

test('an access token works wherever a key works, with the same responses, and counts as a use of its key', async (t) => {
  const { addTasks, connect, get, rpc, key, ask, stop, operator } = await start(t)
  await addTasks([{ id: 'one', title: 'One' }])
  const { key: connection, response } = await connect()
  const authorization = `Bearer ${response.access_token}`
  for (const path of ['/tasks', '/workspace'])
    assert.deepEqual(await (await ask(response.access_token, path)).json(), await (await get(path)).json(), path)
  for (const path of ['/mcp', '/v1/mcp', '/v2/mcp'])
    assert.deepEqual(
      await (await rpc(LIST, { authorization }, path)).json(),
      await (await rpc(LIST, { authorization: `Bearer ${key}` }, path)).json(),
      path,
    )
  await stop()
  const [use] = await operator.read((tx) =>
    tx.all<{ count: number }>('SELECT count FROM key_use WHERE key_id = ?', connection.id),
  )
  assert.equal(Number(use?.count), 5)
})

test('an access token may read what its key may read, and shares its rate limit with earlier and later tokens', async (t) => {
  const { connect, refresh, ask } = await start(t)
  const quota = { limit: 3, windowSeconds: 60 }
  const { response } = await connect({ key: { ...GRANT.key, permissions: ['tasks:read'], quota } })
  const next = granted(await refresh(response.refresh_token)).response
  assert.equal((await ask(response.access_token)).status, 200)
  assert.equal((await ask(next.access_token, '/workspace')).status, 403)
  assert.equal((await ask(next.access_token)).status, 200)
  for (const token of [response.access_token, next.access_token]) assert.equal((await ask(token)).status, 429)
})

test('if programs cannot be connected, access tokens are refused like unknown keys; keys work', async (t) => {
  const service = await start(t)
  const { response, key: connection } = await service.connect()
  const authorization = `Bearer ${response.access_token}`
  assert.equal(await service.status(response.access_token), 200)
  for (const env of [{ PUBLIC_URL, CONNECT: 'off' }, {}] as Record<string, string>[]) {
    const { url } = await replicaOf(t, service, env)
    const ask = (token: string, path = '/tasks') => fetch(url + path, { headers: { authorization: `Bearer ${token}` } })
    const [refused, unknown] = [await ask(response.access_token), await ask(createToken())]
    assert.deepEqual([refused.status, await refused.json()], [unknown.status, await unknown.json()])
    assert.deepEqual(
      [refused.status, refused.headers.get('www-authenticate')],
      [401, unknown.headers.get('www-authenticate')],
    )
    const post = { method: 'POST', body: JSON.stringify(LIST) }
    const headers = { authorization, 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    for (const path of ['/mcp', '/v1/mcp', '/v2/mcp'])
      assert.equal((await fetch(url + path, { ...post, headers })).status, 401, path)
    assert.equal((await ask(service.key)).status, 200)
  }
  assert.equal(await service.status(response.access_token), 200, 'if programs can be connected, it works')
  const [row] = await service.operator.read((tx) =>
    tx.all<{ n: number }>("SELECT count(*) AS n FROM key_use WHERE key_id = ? AND refused <> ''", connection.id),
  )
  assert.equal(Number(row?.n), 0, 'it is not counted as a refusal')
})

test("a refresh token, a code and a revoked connection's tokens are refused like unknown keys", async (t) => {
  const { issue, redeem, refresh, revoke, ask } = await start(t)
  const [waiting, code] = [await issue(), await issue()]
  const first = granted(await redeem(code)).response
  const next = granted(await refresh(first.refresh_token)).response
  const bodies = new Set<string>()
  const refuse = async (...tokens: string[]) => {
    for (const token of tokens) {
      const response = await ask(token)
      assert.equal(response.status, 401)
      bodies.add(JSON.stringify({ ...((await response.json()) as object), instance: '' }))
    }
  }
  await refuse('vtr_unknown', waiting, code, first.refresh_token, next.refresh_token)
  assert.equal((await ask(next.access_token)).status, 200)
  await revoke(next.refresh_token)
  await refuse(first.access_token, next.access_token)
  assert.equal(bodies.size, 1)
})
