import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { assertWholeWindows } from '../../support/assertions.ts'
import { testWithPostgres as test } from '../../support/database.ts'
import { migratedDatabaseUrl } from '../../support/migrated-database.ts'
import { startOperator } from '../../support/operator.ts'
import { getFrom, type Replica, startReplicas } from '../../support/replicas.ts'
import { waitUntil } from '../../support/wait.ts'

async function three(t: TestContext) {
  const url = await migratedDatabaseUrl(t, 'postgres')
  const operator = await startOperator(t, url)
  const replicas = await startReplicas(t, 3, { DATABASE_URL: url })
  return { url, operator, replicas }
}

test('three replicas together allow exactly the quota, and each count goes to one request', async (t) => {
  const { operator, replicas } = await three(t)
  const { token } = await operator.createKey({ limit: 40, windowSeconds: 3600 })
  const mcp = (replica: Replica | undefined) =>
    fetch(`${replica?.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    })
  const responses = await Promise.all(
    Array.from({ length: 150 }, (_, i) => (i % 4 === 3 ? mcp(replicas[i % 3]) : getFrom(replicas[i % 3], token))),
  )
  const passed = responses.filter(({ status }) => status === 200)
  assert.equal(passed.length, 40)
  assert.ok(responses.every(({ status }) => status === 200 || status === 429))
  const places = passed.map(({ headers }) => Number(headers.get('ratelimit-remaining'))).sort((a, b) => a - b)
  assert.deepEqual(
    places,
    Array.from({ length: 40 }, (_, i) => i),
  )
})

test('the end of a window restores the whole quota, once, for all replicas together', async (t) => {
  const { operator, replicas } = await three(t)
  const { token } = await operator.createKey({ limit: 5, windowSeconds: 1 })
  const begin = performance.now()
  const burst = () => Promise.all(Array.from({ length: 30 }, (_, i) => getFrom(replicas[i % 3], token)))
  const responses = await burst()
  await waitUntil(async () => (await getFrom(replicas[0], token)).status !== 429)
  responses.push(...(await burst()))
  const places = responses
    .filter(({ status }) => status === 200)
    .map(({ headers }) => headers.get('ratelimit-remaining'))
  assertWholeWindows(places, 5, performance.now() - begin)
})

test('the next request on every replica sees a change, a pause and its end, and a revocation, even over the quota', async (t) => {
  const { operator, replicas } = await three(t)
  const onEvery = async (token: string) => {
    const responses: Response[] = []
    for (const replica of replicas) responses.push(await getFrom(replica, token))
    return responses
  }
  const statuses = async (token: string) => new Set((await onEvery(token)).map(({ status }) => status))
  for (let round = 0; round < 5; round++) {
    const { token, id } = await operator.createKey({ limit: 6, windowSeconds: 86_400 })
    await operator.addTasks([{ id: 'one', title: `Round ${round}` }])
    for (const response of await onEvery(token)) assert.match(await response.text(), new RegExp(`"Round ${round}"`))
    await operator.keys.pause(id)
    assert.deepEqual(await statuses(token), new Set([401]))
    await operator.keys.resume(id)
    assert.deepEqual(await statuses(token), new Set([200]))
    assert.deepEqual(await statuses(token), new Set([429]))
    await operator.keys.revoke(id)
    const after = await Promise.all(Array.from({ length: 12 }, (_, i) => getFrom(replicas[i % 3], token)))
    assert.deepEqual(new Set(after.map(({ status }) => status)), new Set([401]))
  }
})

test('usage is added up across replicas', async (t) => {
  const { operator, replicas } = await three(t)
  const { token, id } = await operator.createKey()
  for (const replica of replicas) for (let i = 0; i < 3; i++) await getFrom(replica, token)
  await waitUntil(async () => (await operator.keys.list('acme')).find((key) => key.id === id)?.useCount === 9)
})
