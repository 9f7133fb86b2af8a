import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StoreBusyError } from '../../src/database/errors.ts'
import { Batcher } from '../../src/database/postgres/batcher.ts'

/** A batcher over a store that responds when the test allows it. */
function held(limits: { maxRunning: number; maxWaiting: number; maxWaitingForOne: number }) {
  const sent: [string, number][][] = []
  const responses: (() => void)[] = []
  const batcher = new Batcher<string>(limits, (waiting) => {
    sent.push([...waiting])
    return new Promise((resolve) => responses.push(() => resolve((id, place) => `${id}${place}`)))
  })
  return { batcher, sent, responses }
}

const nextTurn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

test('beyond a limit, in all or for one id, requests are rejected, until others are done', async () => {
  const { batcher, sent, responses } = held({ maxRunning: 4, maxWaiting: 3, maxWaitingForOne: 2 })
  const waiting = [batcher.request('greedy')]
  await nextTurn()
  waiting.push(batcher.request('greedy'))
  await nextTurn()
  assert.equal(sent.length, 2, 'each travels in a statement of its own')
  await assert.rejects(batcher.request('greedy'), StoreBusyError)
  waiting.push(batcher.request('polite'))
  await assert.rejects(batcher.request('other'), StoreBusyError, 'those under way still wait')
  responses.shift()?.()
  assert.equal(await waiting[0], 'greedy0')
  waiting.push(batcher.request('greedy'))
  await assert.rejects(batcher.request('greedy'), StoreBusyError, 'one place was given back, not two')
  await nextTurn()
  for (const response of responses) response()
  assert.deepEqual(await Promise.all(waiting), ['greedy0', 'greedy0', 'polite0', 'greedy0'])
})

test('a failing statement fails for all requests that shared it, and frees their places', async () => {
  const batcher = new Batcher({ maxRunning: 1, maxWaiting: 2, maxWaitingForOne: 2 }, () =>
    Promise.reject(new Error('down')),
  )
  for (let round = 0; round < 3; round++) {
    const waiting = [batcher.request('a'), batcher.request('b')]
    for (const one of waiting) await assert.rejects(one, /down/)
  }
})
