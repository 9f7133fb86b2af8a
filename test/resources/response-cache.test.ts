import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Admission, PublicStore } from '../../src/database/store.ts'
import { object } from '../../src/lib/schema.ts'
import { defineResource } from '../../src/resources/define.ts'
import { ResponseCache } from '../../src/resources/response-cache.ts'

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

/** A resource that counts its readings, and takes a tick for each. */
function counting(bytes: number, until = Number.POSITIVE_INFINITY) {
  const readings: string[] = []
  const resource = defineResource({
    name: 'counted',
    path: '/counted',
    permission: 'counted:read',
    summary: '',
    description: '',
    body: object({}),
    schemas: {},
    example: {},
    tool: { name: 'c', title: '', description: '', filters: {} },
    async read(_store, { workspaceId }) {
      readings.push(workspaceId)
      await new Promise((resolve) => setImmediate(resolve))
      return { body: Buffer.alloc(bytes, `${readings.length}`), until }
    },
  })
  return { resource, readings }
}

const cacheOf = (maxBytes: number) => new ResponseCache({} as PublicStore, maxBytes)

test('requests that miss the same answer together read it once', async () => {
  const { resource, readings } = counting(10)
  const cache = cacheOf(1_000_000)
  const bodies = await Promise.all(Array.from({ length: 50 }, () => cache.read(resource, admission('a', 1))))
  assert.equal(readings.length, 1)
  assert.equal(new Set(bodies).size, 1)
})

test('a request that has seen a newer revision does not share an older reading', async () => {
  const { resource, readings } = counting(10)
  const cache = cacheOf(1_000_000)
  await Promise.all([cache.read(resource, admission('a', 1)), cache.read(resource, admission('a', 2))])
  assert.equal(readings.length, 2)
})

test('a reading that ends before a request’s moment is not shared with it', async () => {
  const { resource, readings } = counting(10, 100)
  const cache = cacheOf(1_000_000)
  await Promise.all([cache.read(resource, admission('a', 1, 50)), cache.read(resource, admission('a', 1, 100))])
  assert.equal(readings.length, 2)
})

test('memory is bounded, and what is asked for often stays', async () => {
  const { resource, readings } = counting(1000)
  const cache = cacheOf(100_000)
  await cache.read(resource, admission('favourite', 1))
  for (let i = 0; i < 200; i++) {
    await cache.read(resource, admission(`w${i}`, 1))
    await cache.read(resource, admission('favourite', 1))
  }
  assert.equal(readings.filter((id) => id === 'favourite').length, 1)
  await cache.read(resource, admission('w0', 1))
  assert.equal(readings.filter((id) => id === 'w0').length, 2)
})

test('what fits the bound stays, and beyond it goes the oldest workspace that was not asked for again', async () => {
  const { resource, readings } = counting(1000)
  const cache = cacheOf(27_000)
  const ids = Array.from({ length: 10 }, (_, i) => `w${i}`)
  for (const id of [...ids, 'w0', 'w1']) await cache.read(resource, admission(id, 1))
  assert.deepEqual(readings, ids)
  for (const id of ['new', 'w0', 'w1', 'w3', 'w2']) await cache.read(resource, admission(id, 1))
  assert.deepEqual(readings.slice(ids.length), ['new', 'w2'])
})

test('an answer too large to keep does not push the others out', async () => {
  const small = counting(100)
  const large = counting(1_000_000)
  const cache = cacheOf(100_000)
  await cache.read(small.resource, admission('a', 1))
  await cache.read(large.resource, admission('b', 1))
  await cache.read(small.resource, admission('a', 1))
  assert.equal(small.readings.length, 1)
})
