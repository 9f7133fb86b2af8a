import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { LoadShedding, TURN_BUDGET_MS, TURN_BUDGET_REQUESTS } from '../../src/http/load-shedding.ts'
import { Turns } from '../../src/http/turn.ts'
import { tasks } from '../../src/resources/tasks.ts'
import { assertProblem } from '../support/assertions.ts'
import { type Answer, exchange } from '../support/exchange.ts'
import { startService } from '../support/service.ts'

const request = (startedAt: number, authorization: string | undefined, address = '192.0.2.1') => ({
  startedAt,
  header: () => authorization,
  caller: { address },
})

test('in a turn that has used its budget each caller gets a few more answers, by key or else by address', async () => {
  const load = new LoadShedding(new Turns(() => 1))
  const inTime = (count: number) => {
    for (let i = 0; i < count; i++) assert.ok(!load.refuses(request(0, 'Bearer a')))
  }
  inTime(5 * TURN_BUDGET_REQUESTS)
  const late = TURN_BUDGET_MS + 1
  const answered = (authorization: string | undefined, address?: string) => {
    let count = 0
    while (!load.refuses(request(late, authorization, address))) count++
    return count
  }
  assert.equal(answered('Bearer a'), 16)
  assert.equal(answered('Bearer b'), 16)
  assert.equal(answered(undefined, '192.0.2.1'), 16)
  assert.equal(answered(undefined, '192.0.2.2'), 16)
  assert.ok(load.refuses(request(late, 'Bearer a')))
  await setImmediate()
  assert.ok(!load.refuses(request(late, 'Bearer a')), 'the next turn has a budget of its own')
})

test('what goes on between two turns opens none: the time until the next request is nobody’s load', async () => {
  const turns = new Turns(() => 1)
  const load = new LoadShedding(turns)
  const numbers: number[] = []
  await new Promise<void>((resolve) => {
    turns.afterwards(() => {
      assert.ok(!load.refuses(request(0, 'Bearer a')))
      numbers.push(turns.current(), turns.current())
      void Promise.resolve().then(() => {
        numbers.push(turns.current())
        resolve()
      })
    })
  })
  await setImmediate()
  assert.equal(turns.openedAt(10_000), 10_000)
  numbers.push(turns.current())
  assert.equal(new Set(numbers).size, 4)
})

test('one caller may have half of the requests in progress, and at twice the bound nobody gets in', async () => {
  const load = new LoadShedding(new Turns(() => 1))
  const { promise, resolve } = Promise.withResolvers<void>()
  const fill = (name: string, most: number) => {
    let count = 0
    while (count < most && !load.refuses(request(0, name))) {
      load.track(request(0, name), promise)
      count++
    }
    return count
  }
  assert.equal(fill('greedy', 10_000), 1000)
  assert.equal(fill('other', 10), 10)
  let total = 1010
  for (let i = 0; i < 10_000; i++) total += fill(`caller ${i}`, 1)
  assert.equal(total, 4000)
  resolve()
  await setImmediate()
  assert.equal(fill('greedy', 10_000), 1000)
})

test('requests that wait are bounded for each key: beyond that 503 with Retry-After, before the key is looked up', async (t) => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const slow = {
    ...tasks,
    read: async (...args: Parameters<typeof tasks.read>) => {
      await gate
      return tasks.read(...args)
    },
  }
  // Of 64 workers each has its part: 31 requests, and 15 for one key.
  const service = await startService(t, { resources: [slow], env: { WORKERS: '64' } })
  const other = await service.makeKey()
  const ask = (key: string) => exchange(service.url, '/tasks', { headers: { authorization: `Bearer ${key}` } })
  const waiting = Array.from({ length: 30 }, () => ask(service.key))
  const answered: Answer[] = []
  for (const answer of waiting) void answer.then((value) => answered.push(value))
  while (answered.length < 14) await new Promise((resolve) => setTimeout(resolve, 5))
  const [refused] = answered as [Answer]
  assertProblem(refused, 503, 'overloaded')
  assert.match(refused.headers['retry-after'] ?? '', /^[123]$/)
  assert.equal(refused.headers['ratelimit-policy'], '600;w=60')
  assert.equal(refused.headers['ratelimit-remaining'], undefined)
  const others = Array.from({ length: 5 }, () => ask(other.token))
  open()
  const statuses = (await Promise.all(waiting)).map(({ status }) => status)
  assert.deepEqual(
    [200, 503].map((wanted) => statuses.filter((status) => status === wanted).length),
    [16, 14],
  )
  for (const { status } of await Promise.all(others)) assert.equal(status, 200)
  assert.equal((await ask(service.key)).status, 200)
})

test('a turn that took long but answered few is no overload: the process may have been kept from its core', () => {
  const load = new LoadShedding(new Turns(() => 1))
  assert.ok(!load.refuses(request(0, 'Bearer a')))
  for (let i = 1; i < TURN_BUDGET_REQUESTS; i++) assert.ok(!load.refuses(request(60_000, 'Bearer a')))
})
