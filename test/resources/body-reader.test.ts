import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Admission, PublicStore } from '../../src/database/store.ts'
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
function createReader() {
  const readings: string[] = []
  const resource: typeof tasks = {
    ...tasks,
    async read(_store, _viewpoint, args) {
      readings.push(JSON.stringify(args))
      return { body: Buffer.from(JSON.stringify({ tasks: [] })), until: Number.POSITIVE_INFINITY }
    },
  }
  return { readings, readBody: createBodyReader(resource, new ResponseCache({} as PublicStore, 1_000_000)) }
}

test('the whole resource is one answer: without arguments, with none, and with the limit that holds anyway', async () => {
  const { readings, readBody } = createReader()
  const whole = await readBody(admission)
  for (const args of [{}, { limit: 100 }, { bookKey: undefined }]) assert.equal(readBody(admission, args), whole)
  assert.deepEqual(readings, ['{}'])
})

test('questions that are equal, however they are written, share one answer', async () => {
  const { readings, readBody } = createReader()
  const narrowed = await readBody(admission, { dueBefore: '2026-11-15T09:00:00Z', assigneeEmail: 'Ana@x.example' })
  const same = { assigneeEmail: 'ANA@X.EXAMPLE', dueBefore: '2026-11-15T10:00:00.000+01:00', limit: 100 }
  assert.equal(readBody(admission, same), narrowed)
  assert.notEqual(await readBody(admission, { ...same, limit: 99 }), narrowed)
  assert.equal(readings.length, 2)
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
