import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Admission, PublicStore } from '../../src/database/store.ts'
import { Tools } from '../../src/mcp/2025-03-26/tools.ts'
import { createBodyReader } from '../../src/resources/body-reader.ts'
import { ResponseCache } from '../../src/resources/response-cache.ts'
import { tasks } from '../../src/resources/tasks/contract.ts'

const admission: Admission = {
  keyId: 'key',
  workspaceId: 'a',
  permissions: new Set(),
  quota: { limit: 1, windowSeconds: 1 },
  window: { used: 1, resetsAt: 1 },
  available: true,
  revision: 1,
  now: 0,
}

/** Tasks as they are defined, with reads that only note what they were asked for. */
function createResource(body = JSON.stringify({ tasks: [] })) {
  const readings: string[] = []
  const resource: typeof tasks = {
    ...tasks,
    async read(_store, _viewpoint, args) {
      readings.push(JSON.stringify(args))
      return { body: Buffer.from(body), until: Number.POSITIVE_INFINITY }
    },
  }
  return { resource, readings }
}

const createCache = (bytes = 1_000_000) => new ResponseCache({} as PublicStore, bytes)

function createReader() {
  const { resource, readings } = createResource()
  return { readings, readBody: createBodyReader(resource, createCache()) }
}

/** The size of a hundred tasks whose texts are as long as they may be and written in escapes: docs/rest.md. */
const LARGEST_BODY_BYTES = 13_200_000
const DEFAULT_CACHE_BYTES = 64 * 1024 * 1024

test('the largest body there is, and the result of a tool that holds it, are read once under the default CACHE_MIB', async () => {
  const { resource, readings } = createResource(`"${'\\u0001'.repeat(LARGEST_BODY_BYTES / 6)}"`)
  const cache = createCache(DEFAULT_CACHE_BYTES)
  const readBody = createBodyReader(resource, cache)
  const tools = new Tools([resource], cache)
  const reader = { ...admission, permissions: new Set([resource.permission]) }
  const call = () => tools.call({ name: 'list_tasks' }, reader)
  const [body, tail] = [await readBody(admission), await call()]
  assert.equal(readBody(admission), body)
  assert.equal(call(), tail)
  assert.deepEqual(readings, ['{}'])
})

test('a body that ends by itself ends in the result of a tool at the same moment', async () => {
  const { resource, readings } = createResource()
  const snoozed = {
    ...resource,
    read: async (...args: Parameters<typeof resource.read>) => {
      const reading = await resource.read(...args)
      return reading && { ...reading, until: 100 }
    },
  }
  const tools = new Tools([snoozed], createCache())
  const call = (now: number) =>
    tools.call({ name: 'list_tasks' }, { ...admission, permissions: new Set([resource.permission]), now })
  const tail = await call(0)
  assert.equal(call(99), tail)
  assert.notEqual(await call(100), tail)
  assert.equal(readings.length, 2)
})

test('the whole resource is one answer, without arguments and with none; a question with arguments is another', async () => {
  const { readings, readBody } = createReader()
  const whole = await readBody(admission)
  assert.equal(readBody(admission, {}), whole)
  const narrowed = await readBody(admission, { limit: 99 })
  assert.equal(readBody(admission, { limit: 99 }), narrowed)
  assert.deepEqual(readings, ['{}', '{"limit":99}'])
})

test('an unavailable workspace gets what the resource answers then, whatever is asked', () => {
  const { readings, readBody } = createReader()
  for (const args of [undefined, {}, { limit: 3 }]) {
    const body = readBody({ ...admission, available: false }, args)
    assert.ok(body !== undefined && !(body instanceof Promise))
    assert.equal(body.bytes.toString(), '{"tasks":[]}')
  }
  assert.deepEqual(readings, [])
})
