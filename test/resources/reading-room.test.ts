import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Admission, PublicStore } from '../../src/database/store.ts'
import { object } from '../../src/lib/schema.ts'
import { defineResource } from '../../src/resources/define.ts'
import { ReadingRoom } from '../../src/resources/reading-room.ts'

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

/** A resource that counts its readings, and takes a turn for each. */
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
    tool: { name: 'c', title: '', description: '', arguments: object({}) },
    async read(_store, { workspaceId }) {
      readings.push(workspaceId)
      await new Promise((resolve) => setImmediate(resolve))
      return { body: Buffer.alloc(bytes, `${readings.length}`), until }
    },
  })
  return { resource, readings }
}

const room = (maxBytes: number) => new ReadingRoom({} as PublicStore, maxBytes)

test('requests that miss the same answer together read it once', async () => {
  const { resource, readings } = counting(10)
  const shared = room(1_000_000)
  const bodies = await Promise.all(Array.from({ length: 50 }, () => shared.read(resource, admission('a', 1))))
  assert.equal(readings.length, 1)
  assert.equal(new Set(bodies).size, 1)
})

test('a request that has seen a newer revision does not share an older reading', async () => {
  const { resource, readings } = counting(10)
  const shared = room(1_000_000)
  await Promise.all([shared.read(resource, admission('a', 1)), shared.read(resource, admission('a', 2))])
  assert.equal(readings.length, 2)
})

test('a reading that ends before a request’s moment is not shared with it', async () => {
  const { resource, readings } = counting(10, 100)
  const shared = room(1_000_000)
  await Promise.all([shared.read(resource, admission('a', 1, 50)), shared.read(resource, admission('a', 1, 100))])
  assert.equal(readings.length, 2)
})

test('memory is bounded, and what is asked for often stays', async () => {
  const { resource, readings } = counting(1000)
  const shared = room(100_000)
  await shared.read(resource, admission('favourite', 1))
  for (let i = 0; i < 200; i++) {
    await shared.read(resource, admission(`w${i}`, 1))
    await shared.read(resource, admission('favourite', 1))
  }
  assert.equal(readings.filter((id) => id === 'favourite').length, 1)
  await shared.read(resource, admission('w0', 1))
  assert.equal(readings.filter((id) => id === 'w0').length, 2)
})

test('an answer too large to keep does not push the others out', async () => {
  const small = counting(100)
  const large = counting(1_000_000)
  const shared = room(100_000)
  await shared.read(small.resource, admission('a', 1))
  await shared.read(large.resource, admission('b', 1))
  await shared.read(small.resource, admission('a', 1))
  assert.equal(small.readings.length, 1)
})
