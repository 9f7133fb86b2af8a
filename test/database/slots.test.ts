import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Slots } from '../../src/database/slots.ts'

test('no workspace takes all slots, waiting ones take turns, and too many are refused', async () => {
  const slots = new Slots({ total: 3, each: 2, waiting: 2 })
  const started: string[] = []
  const ends: (() => void)[] = []
  const run = (workspace: string) =>
    slots.run(workspace, () => {
      started.push(workspace)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  const all = ['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(run)
  assert.deepEqual(started, ['a', 'a', 'b'])
  await assert.rejects(run('a'))
  while (ends.length > 0) {
    ends.shift()?.()
    await new Promise(setImmediate)
  }
  await Promise.all(all)
  assert.deepEqual(started, ['a', 'a', 'b', 'a', 'b', 'c', 'a'])
})
