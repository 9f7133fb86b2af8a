import assert from 'node:assert/strict'
import test from 'node:test'
import { assertProblem } from '../support/assertions.ts'
import { type ContractService, startContractService } from '../support/contract-service.ts'
import type { HttpResponse } from '../support/exchange.ts'

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }

/** Everything that a client sees of a response, except the request id and the time. */
function bytesOf({ status, headers, text }: HttpResponse): string {
  const { 'x-request-id': id = '', date: _, ...rest } = headers
  return JSON.stringify({ status, headers: rest, text: text.replaceAll(id, 'id') })
}

async function responsesOf({ get, send, rpc }: ContractService, token: string): Promise<HttpResponse[]> {
  const authorization = `Bearer ${token}`
  return [
    await get('/workspace', { authorization }),
    await get('/tasks', { authorization }),
    await send('/tasks', { method: 'HEAD', headers: { authorization } }),
    await rpc(PING, { authorization }),
    await rpc(PING, { authorization }, '/v1/mcp'),
    await rpc(PING, { authorization }, '/v2/mcp'),
  ]
}

test('a paused key gets the same response as a revoked one, byte for byte', async (t) => {
  const service = await startContractService(t)
  const [paused, revoked] = [await service.createKey(), await service.createKey()]
  await service.keys.pause(paused.id)
  await service.keys.revoke(revoked.id)
  const responses = await responsesOf(service, paused.token)
  assert.ok(responses.every(({ status }) => status === 401))
  assert.deepEqual(responses.map(bytesOf), (await responsesOf(service, revoked.token)).map(bytesOf))
})

test('the next request after a pause is refused, and the next after a resume is admitted', async (t) => {
  const { get, createKey, keys } = await startContractService(t)
  const { token, id } = await createKey()
  const status = async () => (await get('/tasks', { authorization: `Bearer ${token}` })).status
  for (let round = 0; round < 5; round++) {
    assert.equal(await status(), 200)
    await keys.pause(id)
    assert.equal(await status(), 401)
    await keys.resume(id)
  }
  assert.equal((await get('/tasks')).status, 200, 'the other keys of the workspace are left alone')
})

test('a paused key that is over its quota is 401, and over its quota again once it is resumed', async (t) => {
  const { get, createKey, keys } = await startContractService(t)
  const { token, id } = await createKey({ quota: { limit: 1, windowSeconds: 86_400 } })
  const authorization = `Bearer ${token}`
  const statuses = [(await get('/tasks', { authorization })).status, (await get('/tasks', { authorization })).status]
  assert.deepEqual(statuses, [200, 429])
  await keys.pause(id)
  for (let n = 0; n < 2; n++) assertProblem(await get('/tasks', { authorization }), 401, 'unauthorized')
  await keys.resume(id)
  assertProblem(await get('/tasks', { authorization }), 429, 'rate_limited')
})

test('the old key of a rotation works until the moment its overlap ends', async (t) => {
  const { get, createKey, keys, time } = await startContractService(t)
  const { token, id } = await createKey()
  const successor = await keys.rotate(id, 1000)
  const status = async (key: string) => (await get('/tasks', { authorization: `Bearer ${key}` })).status
  time.now += 999
  assert.deepEqual([await status(token), await status(successor.token)], [200, 200])
  time.now += 1
  assert.deepEqual([await status(token), await status(successor.token)], [401, 200])
})
