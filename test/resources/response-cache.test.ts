import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Admission, PublicStore } from '../../src/database/store.ts'
import { type ReadOnMiss, ResponseCache } from '../../src/resources/response-cache.ts'

const admission = (workspaceId: string, revision: number, now = 0): Admission => ({
  keyId: 'key',
  workspaceId,
  permissions: new Set(),
  quota: { limit: 1, windowSeconds: 1 },
  window: { used: 1, resetsAt: 1 },
  available: true,
  revision,
  now,
})

/** Counts its readings, and takes a tick for each. */
function counting(until = Number.POSITIVE_INFINITY) {
  const readings: string[] = []
  const read: ReadOnMiss<{ weight: number }> = async (_store, { workspaceId }) => {
    readings.push(workspaceId)
    await new Promise((resolve) => setImmediate(resolve))
    return { value: { weight: 100 }, until }
  }
  return { read, readings }
}

const createCache = () => new ResponseCache({} as PublicStore, 1_000_000)

for (const question of [{ name: 'a resource' }, 'a text'])
  test(`requests that miss the same answer together read it once, and later ones not at all: ${typeof question}`, async () => {
    const { read, readings } = counting()
    const cache = createCache()
    const ask = () => cache.ask(question, admission('a', 1), read)
    const responses = await Promise.all(Array.from({ length: 50 }, ask))
    assert.equal(readings.length, 1)
    assert.equal(new Set(responses).size, 1)
    assert.equal(ask(), responses[0])
  })

test('other workspaces and other questions have answers of their own', async () => {
  const { read, readings } = counting()
  const cache = createCache()
  const questions = [{}, {}, 'one', 'another']
  const ask = (workspaceId: string) =>
    Promise.all(questions.map((question) => cache.ask(question, admission(workspaceId, 1), read)))
  const [ofA, ofB] = await Promise.all([ask('a'), ask('b')])
  assert.equal(new Set([...ofA, ...ofB]).size, 8)
  assert.deepEqual([await ask('a'), await ask('b')], [ofA, ofB])
  assert.equal(readings.length, 8)
})

test('a request that has seen a newer revision does not share an older reading', async () => {
  const { read, readings } = counting()
  const cache = createCache()
  await Promise.all([cache.ask('q', admission('a', 1), read), cache.ask('q', admission('a', 2), read)])
  assert.equal(readings.length, 2)
})

test('an answer that was read while the revision moved is not given to those who have seen it move', async () => {
  const cache = createCache()
  const { promise: moved, resolve: move } = Promise.withResolvers<void>()
  const before = { weight: 1 }
  const after = { weight: 1 }
  const slow = cache.ask('q', admission('a', 1), async () => {
    await moved
    return { value: before, until: Number.POSITIVE_INFINITY }
  })
  const quick = async () => ({ value: after, until: Number.POSITIVE_INFINITY })
  assert.equal(await cache.ask('q', admission('a', 2), quick), after)
  move()
  assert.equal(await slow, before)
  assert.equal(await cache.ask('q', admission('a', 2), quick), after)
})

test('an answer is kept until its moment and from its own on', async () => {
  const { read, readings } = counting(100)
  const cache = createCache()
  const ask = (now: number) => cache.ask('q', admission('a', 1, now), read)
  await ask(50)
  await ask(99)
  assert.equal(readings.length, 1)
  await ask(49)
  assert.equal(readings.length, 2)
  await ask(100)
  assert.equal(readings.length, 3)
})

test('a reading that ends before a request’s moment is not shared with it', async () => {
  const { read, readings } = counting(100)
  const cache = createCache()
  await Promise.all([cache.ask('q', admission('a', 1, 50), read), cache.ask('q', admission('a', 1, 100), read)])
  assert.equal(readings.length, 2)
})

test('a question too long to be repeated is answered each time, and leaves nothing behind', async () => {
  const { read, readings } = counting()
  const cache = createCache()
  const ask = (length: number) => cache.ask('q'.repeat(length), admission('a', 1), read)
  for (const length of [4096, 4097]) {
    assert.ok(await ask(length))
    await ask(length)
  }
  assert.equal(readings.length, 1 + 2)
})

test('a failure is not kept, and neither is a workspace that went away', async () => {
  const cache = createCache()
  const { read, readings } = counting()
  const fail = async () => {
    throw new Error('the disk is full')
  }
  await assert.rejects(async () => cache.ask('q', admission('a', 1), fail), /the disk is full/)
  assert.equal(await cache.ask('q', admission('a', 1), async () => undefined), undefined)
  await cache.ask('q', admission('a', 1), read)
  assert.equal(readings.length, 1)
})

test('an unavailable workspace has no answer, and nothing is read', () => {
  const { read, readings } = counting()
  assert.equal(createCache().ask('q', { ...admission('a', 1), available: false }, read), undefined)
  assert.equal(readings.length, 0)
})
