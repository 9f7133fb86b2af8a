// Run once: arguments are checked before any database query.
import assert from 'node:assert/strict'
import test from 'node:test'
import { sharedContractService } from '../support/shared-service.ts'

/** Names that mean something inside the server, and must mean nothing as arguments. */
const HOSTILE = {
  workspaceId: 'ws_other',
  now: 0,
  fields: ["id', (SELECT group_concat(hash) FROM api_keys), 'x"],
  json: true,
  constructor: {},
  toString: 1,
  __proto__: { limit: 1 },
}

const strangers = (n: number) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, 1]))

for (const n of [0, 1, 7, 8, 9, 50, 1000]) {
  test(`among ${n} unknown arguments, none with a meaning inside the server gets through`, async () => {
    const { call } = await sharedContractService()
    for (const [name, value] of Object.entries(HOSTILE)) {
      const { result, error } = await call('list_tasks', { ...strangers(n), [name]: value })
      assert.equal(result, undefined, name)
      assert.equal(error?.code, -32602, name)
    }
    for (const limit of [0, -1, 101, 1.5, '5', null]) {
      const { error } = await call('list_tasks', { ...strangers(n), limit })
      assert.equal(error?.code, -32602, String(limit))
      assert.match(JSON.stringify(error), /"argument":"limit"/)
    }
  })
}
