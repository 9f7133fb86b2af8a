import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tasks } from '../../src/resources/tasks/contract.ts'
import { assertProblem } from '../support/assertions.ts'
import { exchange } from '../support/exchange.ts'
import { startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

test('public pages are refused to a network that has its share of waiting requests; health checks are not', async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let reading = 0
  const slow = {
    ...tasks,
    read: async (...args: Parameters<typeof tasks.read>) => {
      reading++
      await released
      return tasks.read(...args)
    },
  }
  // 16 requests for one caller.
  const { url, key } = await startService(t, { resources: [slow], limits: { requestsInProgress: 31 } })
  const ask = () => exchange(url, '/tasks', { headers: { authorization: `Bearer ${key}` } })
  assert.equal((await exchange(url, '/docs')).status, 200)
  const waiting = Array.from({ length: 16 }, ask)
  await waitUntil(async () => reading > 0 && (await exchange(url, '/docs')).status === 503)
  const refused = await exchange(url, '/docs')
  assertProblem(refused, 503, 'overloaded')
  assert.match(refused.headers['retry-after'] ?? '', /^[123]$/)
  assert.equal((await exchange(url, '/healthz')).status, 200)
  release()
  for (const { status } of await Promise.all(waiting)) assert.ok(status === 200 || status === 503)
  assert.equal((await exchange(url, '/docs')).status, 200)
})
