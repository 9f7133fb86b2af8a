import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tableDatabases } from '../../src/database/in-place/open.ts'
import { parseDatabaseUrl } from '../../src/database/open.ts'
import { DAY_MS, HOUR_MS } from '../../src/lib/duration.ts'
import { withDeclared } from '../../src/resources/declared/load.ts'
import { resources as builtIn } from '../../src/resources/index.ts'
import { shopDatabase } from '../lists/in-place/shop.ts'
import { createKeyOnPage, OVERVIEW, signedIn, startSignedIn, wordsOf } from '../support/person.ts'
import { NOON, type Service, startService } from '../support/service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const instant = (ms: number) => new Date(ms).toISOString()

async function addSource({ operator, workspaceId }: Service, name: string, syncedMs: number, everySeconds: number) {
  await operator.transaction(async (tx) => {
    const at = instant(syncedMs)
    await tx.run(
      `INSERT INTO sources (workspace_id, list, name, created_at, synced_at, attempted_at, failures, every_seconds, row_count)
       VALUES (?, 'tasks', ?, ?, ?, ?, 0, ?, 12)`,
      ...[workspaceId, name, at, at, at, everySeconds],
    )
  })
}

test('a member lands on the page that shows whom to ask, and sees no key', async (t) => {
  const service = await startService(t)
  const member = await signedIn(service, 'member')
  assert.equal((await member.get(OVERVIEW)).headers.location, `${OVERVIEW}/keys`)
  const page = await member.get(`${OVERVIEW}/keys`)
  assert.match(page.text, /You cannot create keys/)
  assert.doesNotMatch(page.text, />Overview</)
})

test('the overview counts requests and refusals, and names the busiest keys', async (t) => {
  const { service, browser } = await startSignedIn(t)
  await service.addTasks([{ id: '1' }])
  const limited = await service.createKey({ label: 'limited', quota: { limit: 1, windowSeconds: 3600 } })
  for (let i = 0; i < 4; i++) await service.get('/tasks')
  for (const status of [200, 429]) {
    const response = await fetch(`${service.url}/tasks`, { headers: { authorization: `Bearer ${limited.token}` } })
    assert.equal(response.status, status)
  }
  await service.untilRecorded({ requests: 6 })
  const overview = (await browser.get(OVERVIEW)).text
  const text = wordsOf(overview)
  assert.match(text, /Nothing is urgent\./)
  for (const period of ['today', 'last 7 days', 'last 30 days'])
    assert.match(text, new RegExp(`Requests, ${period} 6 1 refused`))
  assert.match(text, /Busiest keys, last 7 days All keys test .* 4 limited .* 2 1 refused /)
  // The log has hours, the daily sums have not.
  const hourly = wordsOf((await browser.get(`${OVERVIEW}?days=1`)).text)
  assert.match(
    hourly,
    /Requests per hour 24 hours 7 days 30 days .*15 Nov 2026, 12:00: 5 served, 1 refused .*Served 5 Refused 1/,
  )
  const ofKey = wordsOf((await browser.get(`${OVERVIEW}/keys/${limited.id}?days=1`)).text)
  assert.match(
    ofKey,
    /Last 24 hours .*2 requests in the last 24 hours: 1 served, 1 refused\. Busiest hour: 15 Nov 2026, 12:00 \(2\)/,
  )
})

test('items that need attention are ordered: leaked keys, then sources, then upcoming ends', async (t) => {
  const { service, browser } = await startSignedIn(t)
  await service.addTasks([{ id: '1' }])
  await service.createKey({ label: 'ends second', expiresAt: instant(NOON + 9 * DAY_MS) })
  await service.createKey({ label: 'ends first', expiresAt: instant(NOON + 2 * DAY_MS) })
  const leaked = await service.createKey({ label: 'pasted', expiresAt: instant(NOON + 90 * DAY_MS) })
  await fetch(`${service.url}/tasks?key=${leaked.token}`)
  await service.untilRecorded({ leaks: 1 })
  await addSource(service, 'fresh', NOON - HOUR_MS, 86_400)
  await addSource(service, 'tracker', NOON - 5 * HOUR_MS, 3600)
  const page = await browser.get(OVERVIEW)
  const text = wordsOf(page.text)
  assert.match(
    text,
    /Needs attention Keys that need attention pasted vtr_\w{6}… May have leaked\. .* Source tracker No attempt since .* ends first vtr_\w{6}… Expiring\. .* ends second vtr_\w{6}… Expiring\./,
  )
  assert.match(page.text, /<a class="label" href="\/settings\/workspaces\/acme\/workspace#sources">Source/)
  assert.match(text, /Lists Sources tasks 1 row tracker Overdue 5 hours ago fresh Synced 1 hour ago/)
})

test('an empty workspace says so, on the overview and beside a new key, and what fills it', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const fill = /vitrine task import/
  const create = async () => wordsOf((await createKeyOnPage(browser)).response.text)
  const empty = wordsOf((await browser.get(OVERVIEW)).text)
  assert.match(empty, /This workspace is empty/)
  assert.match(empty, fill)
  assert.match(empty, /tasks The operator .* 0 rows/)
  assert.match(await create(), /There is nothing to read yet\. .*: tasks\. .* vitrine task import/)
  await service.addTasks([{ id: '1' }])
  const filled = wordsOf((await browser.get(OVERVIEW)).text)
  assert.match(filled, /tasks Imported 1 row/)
  assert.doesNotMatch(filled, fill)
  assert.doesNotMatch(await create(), fill)
})

test('a list that is read in place is counted there, and names the row and the field that do not fit', async (t) => {
  const { url, run } = await shopDatabase(t, 'sqlite')
  const others =
    'details, book_key, assignee_name, assignee_email, source_session_id, source_title, source_summary, source_kind'
  await run(
    `CREATE TABLE todos (id text PRIMARY KEY, team text, title text, due_at text, ${others.replaceAll(',', ' text,')} text)`,
  )
  const folder = temporaryFolder(t)
  const rows = { database: 'APP_DATABASE_URL', table: 'todos', workspaceColumn: 'team' }
  writeFileSync(join(folder, 'tasks.json'), JSON.stringify({ name: 'tasks', rows }))
  const resources = withDeclared(
    folder,
    builtIn,
    tableDatabases(() => parseDatabaseUrl(url)),
  )
  const { browser } = await startSignedIn(t, (t) => startService(t, { resources }))
  const overview = async () => wordsOf((await browser.get(OVERVIEW)).text)
  await run("INSERT INTO todos (id, team, title, due_at) VALUES ('T-1', 'acme', 'One', NULL)")
  assert.match(await overview(), /Nothing is urgent.*tasks Read in place 1 row/)
  await run("INSERT INTO todos (id, team, title, due_at) VALUES ('T-2', 'acme', 'Two', 'secret soon')")
  const broken = await overview()
  assert.match(broken, /List tasks Cannot be read\. In place: row T-2, field dueAt does not fit/)
  assert.match(broken, /tasks Cannot be read/)
  assert.doesNotMatch(broken, /secret soon/)
})
