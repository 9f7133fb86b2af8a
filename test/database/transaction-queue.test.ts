import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { StoreBusyError } from '../../src/database/errors.ts'
import { TransactionQueue } from '../../src/database/transaction-queue.ts'

const BOUND = 200

/** A queue whose work ends when the test allows it. */
function busyQueue(patienceMs?: number) {
  const queue = new TransactionQueue(patienceMs)
  const { promise, resolve: end } = Promise.withResolvers<void>()
  return { queue, end, first: queue.run(() => promise) }
}

test('beyond its limit it rejects immediately, and accepts work again once there is room', async () => {
  const { queue, end } = busyQueue()
  const waiting = Array.from({ length: BOUND }, (_, i) => queue.run(async () => i))
  await assert.rejects(
    queue.run(async () => assert.fail('it was turned away')),
    StoreBusyError,
  )
  end()
  assert.deepEqual(await Promise.all(waiting), [...Array(BOUND).keys()])
  assert.equal(await queue.run(async () => 'again'), 'again')
})

test('work that has waited too long is given up, work that has begun never is', async () => {
  const { queue, end, first } = busyQueue(1)
  const waiting = queue.run(async () => assert.fail('it came too late'))
  await pause(20)
  end()
  await first
  await assert.rejects(waiting, StoreBusyError)
})
