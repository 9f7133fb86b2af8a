import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Turns } from '../../src/http/turn.ts'

test('what happens in one turn of the event loop has one number, and the next turn another', async () => {
  const turns = new Turns(() => 32)
  const first = turns.current()
  assert.equal(turns.current(), first)
  await Promise.resolve()
  assert.equal(turns.current(), first)
  await setImmediate()
  const second = turns.current()
  assert.notEqual(second, first)
  assert.equal(turns.current(), second)
})

test('with so many connections that a turn may fetch twice, every request has a number of its own', async () => {
  let connections = 899
  const turns = new Turns(() => connections)
  const shared = turns.current()
  assert.equal(turns.current(), shared)
  connections = 900
  const numbers = [shared, turns.current(), turns.current(), turns.current()]
  assert.equal(new Set(numbers).size, 4)
})

test('works for afterwards are done in their order, and what they add comes after the next turn', async () => {
  const turns = new Turns(() => 1)
  const done: string[] = []
  const first = turns.current()
  await new Promise<void>((resolve) => {
    turns.afterwards(() => {
      done.push('a')
      turns.afterwards(() => {
        done.push('c')
        resolve()
      })
    })
    turns.afterwards(() => {
      done.push('b')
      assert.notEqual(turns.current(), first)
      void Promise.resolve().then(() => assert.equal(turns.openedAt(10_000), 10_000, 'still between the turns'))
    })
  })
  assert.deepEqual(done, ['a', 'b', 'c'])
  await setImmediate()
  const next = turns.current()
  assert.equal(turns.current(), next, 'a turn has opened')
})
