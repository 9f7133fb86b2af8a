import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { EventLoopTicks } from '../../src/http/event-loop-ticks.ts'

test('everything in one tick of the event loop has one number, and the next tick another', async () => {
  const ticks = new EventLoopTicks({ size: 32 })
  const first = ticks.current()
  assert.equal(ticks.current(), first)
  await Promise.resolve()
  assert.equal(ticks.current(), first)
  await setImmediate()
  const second = ticks.current()
  assert.notEqual(second, first)
  assert.equal(ticks.current(), second)
})

test('with so many connections that a tick may fetch twice, every request has its own number', async () => {
  const connections = { size: 899 }
  const ticks = new EventLoopTicks(connections)
  const shared = ticks.current()
  assert.equal(ticks.current(), shared)
  connections.size = 900
  const numbers = [shared, ticks.current(), ticks.current(), ticks.current()]
  assert.equal(new Set(numbers).size, 4)
})

test('work deferred until after a tick runs in order, and what it adds runs after the next tick', async () => {
  const ticks = new EventLoopTicks({ size: 1 })
  const done: string[] = []
  const first = ticks.current()
  await new Promise<void>((resolve) => {
    ticks.afterCurrent(() => {
      done.push('a')
      ticks.afterCurrent(() => {
        done.push('c')
        resolve()
      })
    })
    ticks.afterCurrent(() => {
      done.push('b')
      assert.notEqual(ticks.current(), first)
      void Promise.resolve().then(() => assert.equal(ticks.startedAt(10_000), 10_000, 'still between the ticks'))
    })
  })
  assert.deepEqual(done, ['a', 'b', 'c'])
  await setImmediate()
  const next = ticks.current()
  assert.equal(ticks.current(), next, 'a tick has started')
})
