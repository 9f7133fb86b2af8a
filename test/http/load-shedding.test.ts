// Run once: sockets decide this, before any database query.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { EventLoopTicks } from '../../src/http/event-loop-ticks.ts'
import { LoadShedding, TICK_BUDGET_MS, TICK_BUDGET_REQUESTS } from '../../src/http/load-shedding.ts'
import { defaultLimits } from '../../src/http/server.ts'
import { tasks } from '../../src/resources/tasks/contract.ts'
import { assertProblem } from '../support/assertions.ts'
import { exchange, type HttpResponse } from '../support/exchange.ts'
import { openRaw } from '../support/raw.ts'
import { startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

const request = (startedAt: number, address = '192.0.2.1') => ({ startedAt, caller: { address } })

test('in a tick that has used its budget, each caller gets a few more responses, by admitted key or else by network', async () => {
  const load = new LoadShedding(new EventLoopTicks({ size: 1 }), defaultLimits.requestsInProgress)
  for (let i = 0; i < 5 * TICK_BUDGET_REQUESTS; i++) assert.ok(!load.shouldShed(request(0), 'key a'))
  const late = TICK_BUDGET_MS + 1
  const answered = (keyId: string | undefined, address?: string) => {
    let count = 0
    while (!load.shouldShed(request(late, address), keyId)) count++
    return count
  }
  assert.equal(answered('key a'), 16)
  assert.equal(answered('key b'), 16)
  assert.equal(answered(undefined, '192.0.2.1'), 16)
  assert.equal(answered(undefined, '192.0.2.2'), 16)
  assert.equal(answered(undefined, '2001:db8::1'), 16)
  assert.equal(answered(undefined, '2001:db8::2'), 0)
  assert.ok(load.shouldShed(request(late), 'key a'))
  await setImmediate()
  assert.ok(!load.shouldShed(request(late), 'key a'), 'the next tick has a budget of its own')
})

test('work between two ticks does not start one: the time until the next request is no one’s load', async () => {
  const ticks = new EventLoopTicks({ size: 1 })
  const load = new LoadShedding(ticks, defaultLimits.requestsInProgress)
  const numbers: number[] = []
  await new Promise<void>((resolve) => {
    ticks.afterCurrent(() => {
      assert.ok(!load.shouldShed(request(0), 'key a'))
      numbers.push(ticks.current(), ticks.current())
      void Promise.resolve().then(() => {
        numbers.push(ticks.current())
        resolve()
      })
    })
  })
  await setImmediate()
  assert.equal(ticks.startedAt(10_000), 10_000)
  numbers.push(ticks.current())
  assert.equal(new Set(numbers).size, 4)
})

test('one caller may have half of the requests in progress, and at twice the limit no one is admitted', async () => {
  const load = new LoadShedding(new EventLoopTicks({ size: 1 }), defaultLimits.requestsInProgress)
  const { promise, resolve } = Promise.withResolvers<void>()
  const fill = (name: string, most: number) => {
    let count = 0
    while (count < most && !load.shouldShed(request(0), name)) {
      load.track(request(0), name, promise)
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

test('waiting requests are limited per caller: beyond that 503 with Retry-After, before the key is looked up', async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const slow = {
    ...tasks,
    read: async (...args: Parameters<typeof tasks.read>) => {
      await released
      return tasks.read(...args)
    },
  }
  const service = await startService(t, { resources: [slow], limits: { requestsInProgress: 31 } })
  const other = await service.createKey()
  const known = await openRaw(service.url)
  const head = `Host: x\r\nAuthorization: Bearer ${other.token}\r\nContent-Type: application/json\r\n`
  const ping = async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    known.write(`POST /mcp HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`)
    return (await known.next()).status
  }
  assert.equal(await ping(), 200)
  const ask = (key: string) => exchange(service.url, '/tasks', { headers: { authorization: `Bearer ${key}` } })
  const waiting = Array.from({ length: 30 }, () => ask(service.key))
  const answered: HttpResponse[] = []
  for (const response of waiting) void response.then((value) => answered.push(value))
  await waitUntil(() => answered.length >= 14, { everyMs: 5 })
  const [refused] = answered as [HttpResponse]
  assertProblem(refused, 503, 'overloaded')
  assert.match(refused.headers['retry-after'] ?? '', /^[123]$/)
  assert.equal(refused.headers['ratelimit-policy'], '600;w=60')
  assert.equal(refused.headers['ratelimit-remaining'], undefined)
  const otherKey = await ask(other.token)
  assert.equal(otherKey.status, 503, 'on a new connection any key is of that network')
  assert.equal(await ping(), 200, 'on its own connection it is itself')
  known.write(`GET /tasks HTTP/1.1\r\n${head}\r\n`.repeat(5))
  release()
  const statuses = (await Promise.all(waiting)).map(({ status }) => status)
  assert.deepEqual(
    [200, 503].map((code) => statuses.filter((status) => status === code).length),
    [16, 14],
  )
  for (let i = 0; i < 5; i++) assert.equal((await known.next()).status, 200)
  assert.equal((await ask(service.key)).status, 200)
})

test('a long tick with few responses is not an overload: the process may have been kept from its core', () => {
  const load = new LoadShedding(new EventLoopTicks({ size: 1 }), defaultLimits.requestsInProgress)
  assert.ok(!load.shouldShed(request(0), 'key a'))
  for (let i = 1; i < TICK_BUDGET_REQUESTS; i++) assert.ok(!load.shouldShed(request(60_000), 'key a'))
})

/** One caller may have 16 of the requests in progress. A proxy may have all connections. */
const SMALL = { env: { TRUST_PROXY: '1', RATE_LIMIT: '100000;w=60' }, limits: { requestsInProgress: 31 } }
const FLOOD = 80

const floods: [what: string, head: (key: string, i: number) => string][] = [
  [
    'on the settings page, with a new Authorization each',
    (_key, i) =>
      `POST /settings/sign-in/link HTTP/1.1\r\nHost: x\r\nOrigin: http://x\r\nAuthorization: nobody ${i}\r\n` +
      'Content-Type: application/x-www-form-urlencoded\r\n',
  ],
  [
    'with one key in many spellings, each on a new connection',
    (key, i) =>
      `POST /mcp HTTP/1.1\r\nHost: x\r\nAuthorization: ${i % 2 ? 'bearer' : 'BEARER'}${' '.repeat(i + 1)}${key}\r\n` +
      'Content-Type: application/json\r\n',
  ],
]
for (const [what, head] of floods)
  test(`requests that wait for their body ${what}, are one caller: a key in use is served`, async (t) => {
    const service = await startService(t, SMALL)
    const polite = await openRaw(service.url)
    const { token } = await service.createKey()
    const ask = async () => {
      polite.write(`GET /workspace HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`)
      return (await polite.next()).status
    }
    assert.equal(await ask(), 200)
    const refused: number[] = []
    for (let i = 0; i < FLOOD; i++) {
      const { socket, write, next } = await openRaw(service.url)
      t.after(() => socket.destroy())
      void next().then(
        ({ status }) => refused.push(status),
        () => {},
      )
      write(`${head(service.key, i)}Content-Length: 40\r\n\r\n{`)
      assert.equal(await ask(), 200, `after ${i + 1} others`)
    }
    await waitUntil(() => refused.length >= FLOOD - 16, { everyMs: 5 })
    assert.deepEqual([...new Set(refused)], [503])
    assert.equal(refused.length, FLOOD - 16)
    assert.equal(await ask(), 200)
  })
