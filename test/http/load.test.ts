import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tasks } from '../../src/resources/tasks/contract.ts'
import { assertProblem } from '../support/assertions.ts'
import { exchange, type HttpResponse } from '../support/exchange.ts'
import { openRaw } from '../support/raw.ts'
import { startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

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
