import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toCredentials } from '../../../src/import/snapshot/credentials.ts'

test('a token is sent as a bearer token, and a header as it is', () => {
  assert.deepEqual(toCredentials('', ''), {})
  assert.deepEqual(toCredentials('abc', 'X-Api-Key:\td: e'), {
    authorization: 'Bearer abc',
    'x-api-key': 'd: e',
  })
  assert.throws(
    () => toCredentials('abc', 'Authorization: Basic eDp5'),
    /a token and an Authorization header are both set/,
  )
})
