import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../support/service.ts'

test('the quota in use is read without counting', async (t) => {
  const { createKey, get, store, time } = await startService(t)
  const quota = { limit: 5, windowSeconds: 60 }
  const { token, id } = await createKey({ quota })
  assert.equal(await store.quotaInUse(id, quota), undefined)
  for (let i = 0; i < 2; i++) await get('/tasks', { authorization: `Bearer ${token}` })
  const open = { used: 2, resetsAt: time.now + 60_000 }
  for (let i = 0; i < 3; i++) assert.deepEqual(await store.quotaInUse(id, quota), open)
  time.now += 60_000
  assert.equal(await store.quotaInUse(id, quota), undefined)
})
