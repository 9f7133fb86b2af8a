import assert from 'node:assert/strict'
import { assertMcpProblem, assertProblem } from '../support/assertions.ts'
import { type ContractService, startContractService } from '../support/contract-service.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(startContractService)

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }
const DAY_MS = 86_400_000

/** A key that has used up its daily quota, and got several 429s. */
async function usedUpKey(service: ContractService, expiresAt: string | null = null) {
  const { token, id } = await service.createKey({ quota: { limit: 2, windowSeconds: 86_400 }, expiresAt })
  const authorization = { authorization: `Bearer ${token}` }
  const statuses: number[] = []
  for (let n = 0; n < 5; n++) statuses.push((await service.get('/tasks', authorization)).status)
  assert.deepEqual(statuses, [200, 200, 429, 429, 429])
  return { id, authorization }
}

async function assertNoKey({ get, rpc }: ContractService, authorization: Record<string, string>): Promise<void> {
  for (let n = 0; n < 2; n++) {
    for (const path of ['/tasks', '/workspace']) assertProblem(await get(path, authorization), 401, 'unauthorized')
    assertMcpProblem(await rpc(PING, authorization), 401, 'unauthorized')
  }
}

test('a revoked key that is over its quota gets 401 from the next request on, and its last use stays before that', async (service) => {
  const { id, authorization } = await usedUpKey(service)
  service.time.now += 60_000
  await service.keys.revoke(id)
  const revokedAt = new Date(service.time.now).toISOString()
  service.time.now += 60_000
  await assertNoKey(service, authorization)
  await service.stop()
  const key = (await service.keys.list('acme')).find((one) => one.id === id)
  assert.equal(key?.useCount, 2)
  assert.ok((key?.lastUsedAt ?? '') < revokedAt, `${key?.lastUsedAt} is not before ${revokedAt}`)
})

test('a key over its quota that expires gets 401 from that moment', async (service) => {
  const expiresMs = service.time.now + DAY_MS / 2
  const { authorization } = await usedUpKey(service, new Date(expiresMs).toISOString())
  service.time.now = expiresMs - 1
  assertProblem(await service.get('/tasks', authorization), 429, 'rate_limited')
  service.time.now = expiresMs
  await assertNoKey(service, authorization)
})

test('raising the quota of a key that is over it admits the next request', async (service) => {
  const { id, authorization } = await usedUpKey(service)
  await service.changeElsewhere(`UPDATE api_keys SET rate_limit = 1000 WHERE id = '${id}'`)
  const response = await service.get('/tasks', authorization)
  assert.equal(response.status, 200)
  assert.equal(response.headers['ratelimit-limit'], '1000')
})

test('giving a key that is over its quota a shorter window admits the next request', async (service) => {
  const { id, authorization } = await usedUpKey(service)
  service.time.now += 60_000
  await service.changeElsewhere(`UPDATE api_keys SET rate_window_seconds = 60 WHERE id = '${id}'`)
  const { status, headers } = await service.get('/tasks', authorization)
  assert.equal(status, 200)
  assert.deepEqual([headers['ratelimit-remaining'], headers['ratelimit-reset']], ['1', '60'])
})

test('of many simultaneous requests with a key over its quota, none is admitted until its window ends', async (service) => {
  const { authorization } = await usedUpKey(service)
  const burst = () => Promise.all(Array.from({ length: 20 }, () => service.get('/tasks', authorization)))
  assert.deepEqual(new Set((await burst()).map(({ status }) => status)), new Set([429]))
  service.time.now += DAY_MS
  assert.equal((await burst()).filter(({ status }) => status === 200).length, 2)
})
