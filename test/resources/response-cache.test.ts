import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Admission } from '../../src/database/admission.ts'
import type { PublicStore } from '../../src/database/store.ts'
import { toolFormat } from '../../src/mcp/2025-03-26/tools.ts'
import { toolMethods } from '../../src/mcp/tools.ts'
import { createBodyReader, type ReadOnMiss, ResponseCache, ServedBody } from '../../src/resources/response-cache.ts'
import { tasks } from '../../src/resources/tasks/contract.ts'

const admission = (workspaceId: string, revision: number, now = 0): Admission => ({
  keyId: 'key',
  isConnection: false,
  workspaceId,
  permissions: new Set(),
  only: null,
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

const createCache = (bytes = 1_000_000) => new ResponseCache({} as PublicStore, bytes)

test('concurrent misses of the same response read it once, and later requests not at all', async () => {
  const { read, readings } = counting()
  const cache = createCache()
  const ask = () => cache.getOrRead('q', admission('a', 1), read)
  const responses = await Promise.all(Array.from({ length: 50 }, ask))
  assert.equal(readings.length, 1)
  assert.equal(new Set(responses).size, 1)
  assert.equal(await ask(), responses[0])
})

test('other workspaces and other queries have their own responses', async () => {
  const { read, readings } = counting()
  const cache = createCache()
  const keys = ['one', 'another', 'a third', 'a fourth']
  const ask = (workspaceId: string) =>
    Promise.all(keys.map((key) => cache.getOrRead(key, admission(workspaceId, 1), read)))
  const [ofA, ofB] = await Promise.all([ask('a'), ask('b')])
  assert.equal(new Set([...ofA, ...ofB]).size, 8)
  assert.deepEqual([await ask('a'), await ask('b')], [ofA, ofB])
  assert.equal(readings.length, 8)
})

test('a request that has seen a newer revision does not share an older read', async () => {
  const { read, readings } = counting()
  const cache = createCache()
  await Promise.all([cache.getOrRead('q', admission('a', 1), read), cache.getOrRead('q', admission('a', 2), read)])
  assert.equal(readings.length, 2)
})

test('a response that was read while the revision advanced is not given to requests that have seen the new one', async () => {
  const cache = createCache()
  const { promise: moved, resolve: move } = Promise.withResolvers<void>()
  const before = { weight: 1 }
  const after = { weight: 1 }
  const slow = cache.getOrRead('q', admission('a', 1), async () => {
    await moved
    return { value: before, until: Number.POSITIVE_INFINITY }
  })
  const quick = async () => ({ value: after, until: Number.POSITIVE_INFINITY })
  assert.equal(await cache.getOrRead('q', admission('a', 2), quick), after)
  move()
  assert.equal(await slow, before)
  assert.equal(await cache.getOrRead('q', admission('a', 2), quick), after)
})

test('a response is cached from the time it was read until it expires', async () => {
  const { read, readings } = counting(100)
  const cache = createCache()
  const ask = (now: number) => cache.getOrRead('q', admission('a', 1, now), read)
  await ask(50)
  await ask(99)
  assert.equal(readings.length, 1)
  await ask(49)
  assert.equal(readings.length, 2)
  await ask(100)
  assert.equal(readings.length, 3)
})

test('a read that expires before a request’s moment is not shared with it', async () => {
  const { read, readings } = counting(100)
  const cache = createCache()
  await Promise.all([
    cache.getOrRead('q', admission('a', 1, 50), read),
    cache.getOrRead('q', admission('a', 1, 100), read),
  ])
  assert.equal(readings.length, 2)
})

test('a key too long to be repeated is read each time, and leaves nothing behind', async () => {
  const { read, readings } = counting()
  const cache = createCache()
  const ask = (length: number) => cache.getOrRead('q'.repeat(length), admission('a', 1), read)
  for (const length of [4096, 4097]) {
    assert.ok(await ask(length))
    await ask(length)
  }
  assert.equal(readings.length, 1 + 2)
})

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Buffers freed by the first collection are counted by the second. */
function liveBytes(): number {
  collectGarbage()
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const MIB = 1024 * 1024

for (const { what, bytes, count, workspaces } of [
  { what: 'small responses of one workspace', bytes: 20, count: 60_000, workspaces: 1 },
  { what: 'small responses of a workspace each', bytes: 20, count: 60_000, workspaces: 60_000 },
  { what: 'small responses of workspaces that change', bytes: 20, count: 60_000, workspaces: 100 },
  { what: 'responses of a hundred tasks', bytes: 30_000, count: 2000, workspaces: 7 },
])
  test(`the memory that responses take stays within the limit: ${what}`, async () => {
    const before = liveBytes()
    const cache = createCache(16 * MIB)
    for (let i = 0; i < count; i++) {
      const { id, revision } = { id: `ws_${i % workspaces}`, revision: Math.floor(i / workspaces) }
      await cache.getOrRead(`tasks {"bookKey":"key ${i}"}`, admission(id, revision), async () => {
        const value = new ServedBody(Buffer.from(`{"tasks":["${'x'.repeat(bytes)}"]}`), Number.POSITIVE_INFINITY)
        assert.ok(value.etag !== '')
        // Small buffers share memory with others, which a cached one must not hold on to.
        for (let other = 0; other < 5; other++) Buffer.from('another, soon forgotten'.repeat(10))
        return { value, until: Number.POSITIVE_INFINITY }
      })
    }
    const taken = liveBytes() - before
    const { current, limit } = cache.stats.bytes
    assert.ok(current <= limit)
    assert.ok(taken < limit, `${taken} bytes`)
    assert.ok(taken > limit / 4, `${taken} bytes: the limit is far from used`)
  })

test('a failure is not cached, nor is a workspace that was deleted', async () => {
  const cache = createCache()
  const { read, readings } = counting()
  const fail = async () => {
    throw new Error('the disk is full')
  }
  await assert.rejects(async () => cache.getOrRead('q', admission('a', 1), fail), /the disk is full/)
  assert.equal(await cache.getOrRead('q', admission('a', 1), async () => undefined), undefined)
  await cache.getOrRead('q', admission('a', 1), read)
  assert.equal(readings.length, 1)
})

const ADMITTED = admission('a', 1)

/** Tasks as they are defined, with reads that only note which workspace was asked for. */
function createResource(body = JSON.stringify({ tasks: [] })) {
  const readings: string[] = []
  const resource: typeof tasks = {
    ...tasks,
    async read(_store, { workspaceId }) {
      readings.push(workspaceId)
      return { body: Buffer.from(body), until: Number.POSITIVE_INFINITY }
    },
  }
  return { resource, readings }
}

function createReader() {
  const { resource, readings } = createResource()
  return { readings, readBody: createBodyReader(resource, createCache()) }
}

/** The size of a hundred tasks whose texts are as long as they may be and written in escapes: docs/rest.md. */
const LARGEST_BODY_BYTES = 13_200_000
const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024

test("the largest possible body, and a tool's result that contains it, are read once under the default CACHE_MIB", async () => {
  const { resource, readings } = createResource(`"${'\\u0001'.repeat(LARGEST_BODY_BYTES / 6)}"`)
  const cache = createCache(DEFAULT_CACHE_BYTES)
  const readBody = createBodyReader(resource, cache)
  const tools = toolMethods([resource], cache, toolFormat)
  const reader = { ...ADMITTED, permissions: new Set([resource.permission]) }
  const call = () => tools['tools/call']({ name: 'list_tasks' }, reader, {})
  const [body, tail] = [await readBody(ADMITTED), await call()]
  assert.equal(await readBody(ADMITTED), body)
  assert.equal(await call(), tail)
  assert.deepEqual(readings, ['a'])
})

test('nothing is read for an unavailable workspace', async () => {
  const { readings, readBody } = createReader()
  assert.equal(await readBody({ ...ADMITTED, available: false }), undefined)
  assert.deepEqual(readings, [])
})
