import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { type TestContext, test } from 'node:test'
import { writeUnchecked } from '../support/database.ts'
import { type Browser, KEYS, startSignedIn } from '../support/person.ts'
import { NOON, type Service } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'

const AUDIT = KEYS.replace('/keys', '/audit')

/** A log of so many entries, each with so many characters, and the number of reads of the settings since the last call. */
async function startWithLog(t: TestContext, entries: number, characters = 10) {
  const { service, browser } = await startSignedIn(t)
  const detail = JSON.stringify({ why: 'x'.repeat(characters) })
  const rows = Array.from({ length: entries }, (_, index) => {
    const at = new Date(NOON - (index + 1) * 1000).toISOString()
    return `('${at}', '${service.workspaceId}', 'test', 'test.done', 'subject', '${detail}', ${1_000_000 + index}, '', '')`
  })
  // The chain does not matter here.
  await writeUnchecked(
    service.databaseUrl,
    `INSERT INTO audit (at, workspace_id, actor, action, subject, detail, number, previous_hash, hash) VALUES ${rows}`,
  )
  const { operator } = service
  const log = { reads: 0, onRead: () => {} }
  const read = operator.read.bind(operator)
  operator.read = (async (work, isGone) => {
    log.reads++
    log.onRead()
    return read(work, isGone)
  }) as typeof operator.read
  return { service, browser, log }
}

/** Requests an export, and reads none of it. */
async function unread({ url }: Service, browser: Browser, path: string): Promise<IncomingMessage> {
  const cookie = browser.cookieHeader
  const [response] = (await once(get(url + path, { headers: { cookie }, agent: false }), 'response')) as [
    IncomingMessage,
  ]
  return response
}

test('the API responds while a search or an export is in progress, with hits or without', async (t) => {
  const { service, browser, log } = await startWithLog(t, 20_000)
  for (const path of [`${AUDIT}?q=nothing+like+it`, `${AUDIT}.csv`, `${AUDIT}.ndjson?q=nothing+like+it`]) {
    // The connection is open before.
    assert.equal((await service.get('/tasks')).status, 200)
    log.reads = 0
    let answeredAfter: number | undefined
    log.onRead = () => {
      if (log.reads !== 5) return
      void service.get('/tasks').then(({ status }) => {
        assert.equal(status, 200)
        answeredAfter = log.reads
      })
    }
    const response = await browser.get(path)
    assert.equal(response.status, 200, path)
    assert.ok(log.reads >= 40, `${log.reads} reads for ${path}`)
    assert.ok(answeredAfter !== undefined && answeredAfter < log.reads, `${answeredAfter} of ${log.reads} for ${path}`)
  }
})

test('a client that does not read holds a few slices in memory, and not the log', async (t) => {
  const { service, browser, log } = await startWithLog(t, 6000, 10_000)
  const response = await unread(service, browser, `${AUDIT}.ndjson`)
  assert.equal(response.statusCode, 200)
  assert.equal(response.headers['transfer-encoding'], 'chunked')
  // Each response takes several turns of the event loop, and each turn could read a slice.
  for (let i = 0; i < 30; i++) assert.equal((await service.get('/tasks')).status, 200)
  // 5 MB each: what the sockets hold, and the one that waits.
  assert.ok(log.reads <= 8, `${log.reads} reads`)
  let bytes = 0
  for await (const chunk of response) bytes += chunk.length
  assert.ok(bytes > 6000 * 10_000, 'the rest comes when it is read')
  assert.ok(log.reads > 12)
})

test('exports are limited per workspace; the next is refused with a page that explains why', async (t) => {
  const { service, browser } = await startWithLog(t, 6000, 10_000)
  const open: IncomingMessage[] = []
  t.after(() => {
    for (const response of open) response.destroy()
  })
  for (let i = 0; i < 4; i++) open.push(await unread(service, browser, `${AUDIT}.csv`))
  assert.deepEqual(
    open.map(({ statusCode }) => statusCode),
    [200, 200, 200, 200],
  )
  const refused = await browser.get(`${AUDIT}.csv`)
  assert.equal(refused.status, 503)
  assert.equal(refused.headers['retry-after'], '5')
  assert.match(refused.text, /Too many exports and searches.*Others are still running/s)
  assert.match(refused.text, /API keys/, 'with the navigation of the settings')
  assert.equal((await browser.get(KEYS)).status, 200, 'short pages are not refused')
  // One whose client leaves makes room.
  open.shift()?.destroy()
  await waitUntil(
    async () =>
      (await unread(service, browser, `${AUDIT}.csv`).then(
        (response) => open.push(response) && response.statusCode,
      )) === 200,
  )
})
