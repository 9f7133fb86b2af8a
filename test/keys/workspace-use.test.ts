import assert from 'node:assert/strict'
import { busiestKeys, readWorkspaceDays } from '../../src/keys/workspace-use.ts'
import { type Service, startService } from '../support/service.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(startService)

const read = async ({ operator, time }: Service, timezone = 'UTC') =>
  operator.read(async (tx) => {
    const [workspace] = await tx.all<{ id: string }>(`SELECT id FROM workspaces WHERE slug = 'acme'`)
    const id = workspace?.id ?? ''
    const local = { nowMs: time.now, timezone }
    return { id, days: await readWorkspaceDays(tx, id, local), busiest: await busiestKeys(tx, id, local, 5) }
  })

test('each request of a workspace is counted once, on its day, whether served or refused', async (service) => {
  const limited = await service.createKey({ label: 'limited', quota: { limit: 1, windowSeconds: 3600 } })
  const revoked = await service.createKey({ label: 'revoked' })
  await service.keys.revoke(revoked.id)
  const get = async (token: string, status: number) => {
    const response = await fetch(`${service.url}/tasks`, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(response.status, status)
  }
  for (let i = 0; i < 3; i++) await get(service.key, 200)
  await get(limited.token, 200)
  await get(limited.token, 429)
  await get(revoked.token, 401)
  await service.stop()
  const { days, busiest } = await read(service)
  assert.equal(days.length, 30)
  assert.deepEqual(days.at(-1), { day: '2026-11-15', served: 4, refused: { over_quota: 1, revoked: 1 } })
  const first = (await service.keys.list('acme')).find(({ label }) => label !== 'limited' && label !== 'revoked')
  assert.deepEqual(busiest, [first?.id, limited.id, revoked.id])
})
