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
