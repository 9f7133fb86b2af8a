import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type LeakedKeyState, revokeLeaked } from '../../src/keys/leaked.ts'
import { hashToken } from '../../src/lib/key-format.ts'
import { engineUnderTest } from '../support/database.ts'
import { startService } from '../support/service.ts'

test(`${engineUnderTest()}: if a leaked key cannot be revoked, it is known which keys were`, async (t) => {
  const { operator, createKey } = await startService(t)
  const stateOf = (key: LeakedKeyState) => [key.state, 'isRevokedNow' in key]
  const keys = await Array.fromAsync([1, 2, 3], async () => ({ hash: hashToken((await createKey()).token) }))
  const failure = new Error('the disk is full')
  t.mock.method(operator, 'transaction').mock.mockImplementationOnce(() => Promise.reject(failure), 1)
  const revoked = await revokeLeaked(operator, 'test', keys)
  assert.equal(revoked.failure, failure)
  assert.deepEqual(revoked.matches.map(stateOf), [['revoked', true], ...[2, 3].map(() => ['live', false])])

  t.mock.method(operator, 'read').mock.mockImplementationOnce(() => Promise.reject(failure), 1)
  const unread = await revokeLeaked(operator, 'test', keys)
  assert.equal(unread.failure, failure)
  assert.deepEqual(unread.matches.map(stateOf), [['revoked', false], ...[2, 3].map(() => ['revoked', true])])
})
