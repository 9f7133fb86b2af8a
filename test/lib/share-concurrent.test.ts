import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shareConcurrent } from '../../src/lib/share-concurrent.ts'

test('concurrent callers share one run, also if it fails; a later one starts another', async () => {
  let runs = 0
  const shared = shareConcurrent(async () => {
    if (++runs === 2) throw new Error('away')
    return runs
  })
  assert.deepEqual(await Promise.all([shared(), shared(), shared()]), [1, 1, 1])
  const failed = await Promise.allSettled([shared(), shared()])
  assert.deepEqual(
    failed.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(await shared(), 3)
})
