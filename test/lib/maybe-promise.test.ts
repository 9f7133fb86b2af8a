import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settle } from '../../src/lib/maybe-promise.ts'

const failure = new Error('failed')
const fail = () => {
  throw failure
}
const onValue = (value: number) => `value ${value}`
const onError = (error: unknown) => `error ${(error as Error).message}`

test('work that waits for nothing is settled without a promise', () => {
  assert.equal(
    settle(() => 1, onValue, onError),
    'value 1',
  )
  assert.equal(settle(fail, onValue, onError), 'error failed')
})

test('a promise is settled in the same way', async () => {
  assert.equal(await settle(async () => 1, onValue, onError), 'value 1')
  assert.equal(await settle(async () => fail(), onValue, onError), 'error failed')
})

test('what onValue throws does not reach onError', async () => {
  assert.throws(() => settle(() => 1, fail, onError), failure)
  await assert.rejects(async () => settle(async () => 1, fail, onError), failure)
})
