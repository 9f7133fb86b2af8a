import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { listenErrorMessage } from '../../src/cli/serve/listen.ts'
import { assertWholeWindows } from '../support/assertions.ts'
import { openConnections, statusesOf } from '../support/connections.ts'
import { connectElsewhere, engineUnderTest, testOnce } from '../support/database.ts'
import type { HttpResponse } from '../support/exchange.ts'
import { startOperator } from '../support/operator.ts'
import { Browser, fieldOf } from '../support/person.ts'
import { logLines, program } from '../support/program.ts'
import { waitUntil } from '../support/wait.ts'

const engine = engineUnderTest()
const WORKERS = '2'

async function startWorkers(t: TestContext, settings: Record<string, string> = {}) {
  const operator = await startOperator(t)
  const vitrine = program(t, { WORKERS, DATABASE_URL: operator.url, ...settings })
  return { operator, vitrine, server: await vitrine.start('serve') }
}

test(`${engine}: two workers are one server`, async (t) => {
  // Its start takes most of the time.
  const { operator, server } = await startWorkers(t)

  await t.test('the workers together allow exactly the quota, and each count goes to one request', async (t) => {
    const { token } = await operator.createKey({ limit: 50, windowSeconds: 3600 })
    const crowd = await openConnections(t, server.url)
    const responses = await crowd.ask('/tasks', token, 4)
    assert.deepEqual(statusesOf(responses), { 200: 50, 429: 190 })
    const places = responses.filter(({ status }) => status === 200).map(({ headers }) => headers['ratelimit-remaining'])
    assert.deepEqual(
      places.map(Number).sort((a, b) => a - b),
      Array.from({ length: 50 }, (_, i) => i),
    )
  })

  await t.test('the end of a window restores the whole quota, once, for all workers together', async (t) => {
    const { token } = await operator.createKey({ limit: 5, windowSeconds: 1 })
    const crowd = await openConnections(t, server.url)
    const begin = performance.now()
    const responses = await crowd.ask('/tasks', token)
    const ask = () => fetch(`${server.url}/tasks`, { headers: { authorization: `Bearer ${token}` } })
    while ((await ask()).status === 429) await new Promise((resolve) => setTimeout(resolve, 20))
    responses.push(...(await crowd.ask('/tasks', token)))
    const places = responses.filter(({ status }) => status === 200).map(({ headers }) => headers['ratelimit-remaining'])
    assertWholeWindows(places, 5, performance.now() - begin)
  })

  await t.test('the next request on every worker sees a revocation and a change', async (t) => {
    const crowd = await openConnections(t, server.url)
    for (let round = 0; round < 5; round++) {
      const { token, id } = await operator.createKey()
      await operator.addTasks([{ id: 'one', title: `Round ${round}` }])
      const responses = await crowd.ask('/tasks', token)
      assert.ok(responses.every(({ text }) => text.includes(`"title":"Round ${round}"`)))
      await operator.keys.revoke(id)
      assert.deepEqual(statusesOf(await crowd.ask('/tasks', token)), { 401: 60 })
    }
  })
})

test(`${engine}: every request is counted as a use, and is one complete line in the log`, async (t) => {
  const { operator, server } = await startWorkers(t)
  const { token, id } = await operator.createKey({ limit: 1e6, windowSeconds: 3600 })
  const crowd = await openConnections(t, server.url)
  // The log is not read for a while, and lines are long, so a worker's lines do not all fit into the pipe.
  server.child.stdout?.pause()
  const responses = await crowd.ask('/tasks', token, 20)
  responses.push(...(await crowd.ask(`/${'x'.repeat(2000)}`, token, 5)))
  assert.deepEqual(statusesOf(responses), { 200: 1200, 404: 300 })
  server.child.stdout?.resume()
  // A stop waits for the reader of the log only for a second.
  await waitUntil(() => server.output().split('"requestId"').length > responses.length)
  assert.equal(await server.stop(), 0)

  const lines = logLines(server.output())
  assert.deepEqual(
    lines.flatMap(({ requestId }) => requestId ?? []).sort(),
    responses.map(({ headers }) => headers['x-request-id']).sort(),
  )
  assert.deepEqual(
    lines.flatMap(({ msg }) => msg ?? []),
    ['stopping', 'stopped'],
  )
  assert.equal(lines.at(-1)?.msg, 'stopped')

  const elsewhere = await connectElsewhere(operator.url, t)
  const [use] = await elsewhere.all<{ count: number }>(`SELECT sum(count) AS count FROM key_use WHERE key_id = '${id}'`)
  assert.equal(Number(use?.count), 1200)
})

test(`${engine}: sign-in attempts are counted by all workers together`, async (t) => {
  const { server } = await startWorkers(t)
  const token = 'x'.repeat(43)
  const attempt = async () => {
    const browser = new Browser(server.url)
    const csrf = fieldOf(await browser.get(`/settings/sign-in/link?token=${token}`), 'csrf')
    return browser.post('/settings/sign-in/link', { csrf, token })
  }
  const responses: HttpResponse[] = []
  // A few at a time: on a busy machine, a longer queue would make some wait longer than a page may. Those around the limit race.
  for (const length of [6, 6, 6, 6, 12, 6, 6, 6, 6])
    responses.push(...(await Promise.all(Array.from({ length }, attempt))))
  assert.deepEqual(statusesOf(responses), { 410: 30, 429: 30 })
})

testOnce(`a server with one or more workers does not share the port of one with ${WORKERS}`, async (t) => {
  const { server } = await startWorkers(t)
  for (const others of ['1', WORKERS]) {
    const other = program(t, { PORT: new URL(server.url).port, WORKERS: others })
    assert.equal(
      await other.fails(1, 'serve'),
      `vitrine: port ${other.env.PORT} on 127.0.0.1 is in use by another program; stop it, or set PORT\n`,
    )
  }
})

testOnce(`a worker that fails stops the others, and the log shows why`, async (t) => {
  const folder = join(import.meta.dirname, '../support')
  const vitrine = program(t, { WORKERS, NODE_OPTIONS: `--import=${join(folder, 'failing-worker.ts')}` })
  vitrine.env.FAIL_WHEN = join(vitrine.folder, 'now')
  const server = await vitrine.start('serve')
  const ended = new Promise((resolve) => server.child.once('close', resolve))
  writeFileSync(vitrine.env.FAIL_WHEN, '')
  assert.equal(await ended, 1)
  const lines = server.output().split('\n')
  assert.ok(lines.includes('vitrine: unexpected failure: out of paper'), server.output())
  const line = JSON.parse(lines.find((text) => text.startsWith('{')) ?? '{}')
  assert.deepEqual(
    [line.level, line.msg, line.failure?.message],
    [60, 'a worker failed; stopping all of them', 'out of paper'],
  )
})

for (const workers of ['1', WORKERS])
  testOnce(`a failed start with ${workers} workers is reported once, in one line`, async (t) => {
    const vitrine = program(t, { WORKERS: workers, LIFECYCLE: '{"/none":{"deprecation":"2026-01-01T00:00:00Z"}}' })
    const { code, stdout, stderr } = await vitrine.runApart('serve')
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /^vitrine: LIFECYCLE: \/none is not an API path; [^\n]+\n$/)
  })

testOnce('if connections cannot be distributed, the line names the setting', async () => {
  assert.equal(
    listenErrorMessage('ENOTSUP', { host: '127.0.0.1', port: 3000 }, 'PORT'),
    'this system cannot distribute connections to workers; set WORKERS=1',
  )
})
