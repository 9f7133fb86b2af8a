import assert from 'node:assert/strict'
import { busiestKeys, readWorkspaceUse } from '../../src/keys/workspace-use.ts'
import { HOUR_MS } from '../../src/lib/duration.ts'
import { deleteWorkspace } from '../../src/provisioning/delete-workspace.ts'
import { NOON, type Service, startService } from '../support/service.ts'
import { testWith } from '../support/test-with.ts'

const test = testWith(startService)

const HOUR = Math.floor(NOON / HOUR_MS)

const read = async ({ operator, time }: Service, timezone = 'UTC') =>
  operator.read(async (tx) => {
    const [workspace] = await tx.all<{ id: string }>(`SELECT id FROM workspaces WHERE slug = 'acme'`)
    const id = workspace?.id ?? ''
    const local = { nowMs: time.now, timezone }
    return { id, use: await readWorkspaceUse(tx, id, local), busiest: await busiestKeys(tx, id, local, 5) }
  })

const insert = async (
  { operator }: Service,
  rows: [workspace: string, hour: number, count: number, refused: number][],
) =>
  operator.transaction(async (tx) => {
    for (const row of rows) await tx.run('INSERT INTO workspace_use VALUES (?, ?, ?, ?)', ...row)
  })

test('each request of a workspace is counted once, in its hour, whether served or refused', async (service) => {
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
  const { use, busiest } = await read(service)
  assert.deepEqual([use.lastDay, use.lastWeek, use.lastMonth], Array(3).fill({ count: 6, refused: 2 }))
  assert.deepEqual(use.days.at(-1), { day: '2026-11-15', served: 4, refused: { any: 2 } })
  const first = (await service.keys.list('acme')).find(({ label }) => label !== 'limited' && label !== 'revoked')
  assert.deepEqual(busiest, [first?.id, limited.id])
})

test("the three periods end now, and days are the workspace's", async (service) => {
  const { id } = await read(service)
  // Noon in UTC is 21:00 in Tokyo, so 15 hours ago was yesterday in UTC and today there is 21 hours old.
  const ages = [0, 15, 23, 24, 7 * 24 - 1, 7 * 24, 30 * 24 - 1, 30 * 24]
  await insert(
    service,
    ages.map((age, i) => [id, HOUR - age, 10 ** i, 0]),
  )
  await insert(service, [[id, HOUR + 1, 5, 5]])
  const { use } = await read(service, 'Asia/Tokyo')
  assert.equal(use.lastDay.count, 111)
  assert.equal(use.lastWeek.count, 11_111)
  assert.equal(use.lastMonth.count, 1_111_111)
  assert.equal(use.days.length, 30)
  assert.equal(use.days.at(-1)?.served, 11)
  assert.equal((await read(service)).use.days.at(-1)?.served, 1)
})

test('a workspace keeps 31 days of hours, and none once it is deleted', async (service) => {
  const { id } = await read(service)
  await insert(service, [
    [id, HOUR - 744, 1, 0],
    [id, HOUR - 743, 1, 0],
    [id, HOUR, 1, 0],
  ])
  const hours = () =>
    service.operator.read((tx) => tx.all<{ hour: number }>('SELECT hour FROM workspace_use ORDER BY hour'))
  assert.deepEqual(
    (await hours()).map(({ hour }) => Number(hour)),
    [HOUR - 743, HOUR],
  )
  await deleteWorkspace(service.operator, [], 'acme', 'test')
  assert.deepEqual(await hours(), [])
  // The key outlives the workspace, and its requests are recorded without one.
  await service.get('/tasks')
  await service.stop()
  assert.deepEqual(await hours(), [])
})
