import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { BackgroundUpdates, MANY_DUE, type UpdateSome } from '../../src/database/lists/background-updates.ts'

/** A store in which the given number of rows are due in each workspace. */
function dueRows(counts: Record<string, number>) {
  const left = new Map(Object.entries(counts))
  const batches: number[] = []
  const all = Promise.withResolvers<void>()
  const update = async (workspaceId: string, _by: number, atMost: number) => {
    const updated = Math.min(atMost, left.get(workspaceId) ?? 0)
    left.set(workspaceId, (left.get(workspaceId) ?? 0) - updated)
    batches.push(updated)
    if (left.values().every((n) => n === 0)) all.resolve()
    return updated
  }
  return { left, batches, update, all: all.promise }
}

const never = () => assert.fail('it failed')
function start(update: UpdateSome, onFailure: (error: unknown) => void = never) {
  const updates = new BackgroundUpdates(100, onFailure)
  return {
    request: (workspaceId: string) => updates.request(update, MANY_DUE + 1, workspaceId, 1),
    close: () => updates.close(),
  }
}

/** Its timers do not keep the process alive, so the test must. */
async function settled(all: Promise<void>): Promise<void> {
  const alive = setInterval(() => {}, 1000)
  await all.finally(() => clearInterval(alive))
}

test('everything due is updated, in several batches, one workspace at a time', async () => {
  const store = dueRows({ a: 5000 })
  const updates = start(store.update)
  updates.request('a')
  updates.request('b')
  await settled(store.all)
  await updates.close()
  assert.ok(store.batches.length > 5)
  assert.ok(store.batches.every((rows) => rows <= 100))
  assert.equal(store.left.has('b'), false)
})

test('a busy store is retried', async () => {
  const store = dueRows({ a: 10 })
  let asked = 0
  const updates = start(async (...args) => (++asked < 3 ? undefined : store.update(...args)))
  updates.request('a')
  await settled(store.all)
  await updates.close()
  assert.equal(asked, 3)
})

test('a failure is reported once, and not retried at every read', async () => {
  const failed = Promise.withResolvers<void>()
  const failures: unknown[] = []
  const updates = start(
    async () => {
      throw new Error('permission denied')
    },
    (error) => {
      failures.push(error)
      failed.resolve()
    },
  )
  updates.request('a')
  await settled(failed.promise)
  for (let i = 0; i < 10; i++) {
    updates.request('a')
    await delay(2)
  }
  await updates.close()
  assert.equal(failures.length, 1)
})

test('once closed it updates nothing more, and the current batch ends first', async () => {
  const store = dueRows({ a: 100_000 })
  const begun = Promise.withResolvers<void>()
  let underWay = 0
  const updates = start(async (...args) => {
    underWay++
    begun.resolve()
    await delay(5)
    underWay--
    return store.update(...args)
  })
  updates.request('a')
  await settled(begun.promise)
  await updates.close()
  assert.equal(underWay, 0)
  const left = store.left.get('a')
  updates.request('a')
  await delay(30)
  assert.equal(store.left.get('a'), left)
})
