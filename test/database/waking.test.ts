import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type MarkWoken, Waking } from '../../src/database/waking.ts'

/** A store in which so many tasks of each workspace have woken. */
function woken(counts: Record<string, number>) {
  const left = new Map(Object.entries(counts))
  const batches: number[] = []
  const all = Promise.withResolvers<void>()
  const mark = async (workspaceId: string, _by: number, atMost: number) => {
    const marked = Math.min(atMost, left.get(workspaceId) ?? 0)
    left.set(workspaceId, (left.get(workspaceId) ?? 0) - marked)
    batches.push(marked)
    if (left.values().every((n) => n === 0)) all.resolve()
    return marked
  }
  return { left, batches, mark, all: all.promise }
}

const never = () => assert.fail('it failed')
const start = (mark: MarkWoken, onFailure: (error: unknown) => void = never) =>
  new Waking({ mark, batchMs: 3, onFailure })

/** The timers of Waking keep no program alive: here something else must. */
async function settled(all: Promise<void>): Promise<void> {
  const alive = setInterval(() => {}, 1000)
  await all.finally(() => clearInterval(alive))
}

test('all that have woken are marked, in several batches, in every workspace', async () => {
  const store = woken({ a: 5000, b: 300 })
  const waking = start(store.mark)
  waking.notice('a', 1)
  waking.notice('b', 1)
  await settled(store.all)
  await waking.close()
  assert.ok(store.batches.length > 5)
  assert.ok(Math.max(...store.batches) <= 1000)
})

test('a busy store is asked again', async () => {
  const store = woken({ a: 10 })
  let asked = 0
  const waking = start(async (...args) => (++asked < 3 ? undefined : store.mark(...args)))
  waking.notice('a', 1)
  await settled(store.all)
  await waking.close()
  assert.equal(asked, 3)
})

test('a failure is told once, and not tried again at every read', async () => {
  const failed = Promise.withResolvers<void>()
  const failures: unknown[] = []
  const waking = start(
    async () => {
      throw new Error('permission denied')
    },
    (error) => {
      failures.push(error)
      failed.resolve()
    },
  )
  waking.notice('a', 1)
  await settled(failed.promise)
  for (let i = 0; i < 10; i++) {
    waking.notice('a', 1)
    await delay(2)
  }
  await waking.close()
  assert.equal(failures.length, 1)
})

test('once closed it marks nothing more, and a batch that is under way ends first', async () => {
  const store = woken({ a: 100_000 })
  const begun = Promise.withResolvers<void>()
  let underWay = 0
  const waking = start(async (...args) => {
    underWay++
    begun.resolve()
    await delay(5)
    underWay--
    return store.mark(...args)
  })
  waking.notice('a', 1)
  await settled(begun.promise)
  await waking.close()
  assert.equal(underWay, 0)
  const left = store.left.get('a')
  waking.notice('a', 1)
  await delay(30)
  assert.equal(store.left.get('a'), left)
})
