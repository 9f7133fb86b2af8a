import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findWorkspace } from '../../src/workspaces/records.ts'
import { createWorkspace } from '../support/changes.ts'
import { type Browser, fieldOf, KEYS, signedIn, startSignedIn, wordsOf } from '../support/person.ts'
import { type Service, startService } from '../support/service.ts'

const WORKSPACE = '/settings/workspaces/acme/workspace'

const recordOf = async (service: Service) => {
  const record = await service.operator.read((tx) => findWorkspace(tx, 'acme'))
  assert.ok(record)
  return { ...record }
}

/** The form of the page as it is now, with other values. */
async function formOf(browser: Browser, values: Record<string, string> = {}) {
  const page = await browser.get(WORKSPACE)
  const kept = { csrf: fieldOf(page, 'csrf'), version: fieldOf(page, 'version') }
  return { ...kept, name: 'Acme', timezone: '', currency: '', country: '', ...values }
}

test("an admin changes name and defaults, which a key's next request sees; the change is in the audit log", async (t) => {
  const service = await startService(t)
  const browser = await signedIn(service, 'admin')
  const before = await recordOf(service)
  const given = { name: '  Acme Ltd ', timezone: 'Asia/Tokyo', currency: 'JPY', country: 'JP' }
  const response = await browser.post(WORKSPACE, await formOf(browser, given))
  assert.equal(response.status, 303)
  assert.equal(response.headers.location, WORKSPACE)
  const read = (await (await service.get('/workspace')).json()) as object
  const now = {
    id: before.id,
    slug: 'acme',
    name: 'Acme Ltd',
    timezone: 'Asia/Tokyo',
    currencyCode: 'JPY',
    countryCode: 'JP',
  }
  assert.deepEqual(read, { workspace: now })
  const [entry] = await service.newestEntries()
  assert.deepEqual([entry?.action, entry?.actor], ['workspace.updated', 'admin@acme.example'])
  assert.deepEqual(entry?.detail.after, {
    name: 'Acme Ltd',
    timezone: 'Asia/Tokyo',
    currencyCode: 'JPY',
    countryCode: 'JP',
  })
  const page = await browser.get(WORKSPACE)
  assert.match(page.text, /Saved\. .*timezone, <a [^>]*>Asia\/Tokyo/s)
  assert.ok(page.text.length < 60_000, `${page.text.length} bytes`)
})

test('invalid values are reported and kept, and nothing is changed; a pasted key is not shown again', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const before = await recordOf(service)
  const given = { name: '', timezone: 'europe/london', currency: 'gbp', country: 'UK' }
  const response = await browser.submit(WORKSPACE, await formOf(browser, given))
  for (const field of Object.keys(given)) assert.match(response.text, new RegExp(`id="${field}-error"`), field)
  assert.match(response.text, /value="europe\/london"/)
  assert.match(wordsOf(response.text), /is spelled Europe\/London\./)
  const { token } = await service.createKey()
  for (const field of ['name', 'timezone', 'currency']) {
    const pasted = await browser.post(WORKSPACE, await formOf(browser, { [field]: token }))
    assert.equal(pasted.status, 422, field)
    assert.ok(!pasted.text.includes(token.slice(0, 14)), field)
  }
  const name = 'Northwind-Purchasing-And-Logistics-Department-Berlin'
  const kept = await browser.submit(WORKSPACE, await formOf(browser, { name, timezone: 'Nowhere' }))
  assert.ok(kept.text.includes(`value="${name}"`), 'as long as a secret, but a name')
  assert.deepEqual(await recordOf(service), before)
  assert.ok(!service.logLines.join('').includes(token.slice(0, 14)))
})

test('a member reads the workspace and sees whom to ask, and can change nothing', async (t) => {
  const service = await startService(t)
  await signedIn(service)
  const member = await signedIn(service, 'member')
  const page = await member.get(WORKSPACE)
  assert.equal(page.status, 200)
  assert.match(wordsOf(page.text), /Slug acme .*Ask owner@acme\.example \./)
  assert.doesNotMatch(page.text, /name="timezone"|id="sources"|\/archive/)
  const form = { csrf: fieldOf(page, 'csrf'), version: '', name: 'x', timezone: '', currency: '', country: '' }
  for (const path of [WORKSPACE, `${WORKSPACE}/archive`, `${WORKSPACE}/restore`])
    assert.equal((await member.post(path, form)).status, 403, path)
  const admin = await signedIn(service, 'admin')
  for (const path of [`${WORKSPACE}/archive`, `${WORKSPACE}/restore`])
    assert.equal((await admin.post(path, { csrf: fieldOf(await admin.get(WORKSPACE), 'csrf') })).status, 403, path)
  assert.doesNotMatch((await admin.get(WORKSPACE)).text, /\/archive"/)
  assert.match((await admin.get(`${WORKSPACE}/archive`)).text, /The members page lists the owners\./)
  assert.match((await admin.get('/settings/workspaces/acme/members')).text, /owner@acme\.example/)
  const record = await recordOf(service)
  assert.deepEqual([record.name, record.archivedAt], ['Acme Buying', null])
})

test("an owner archives a workspace and restores it, each seen by its keys' next request", async (t) => {
  const service = await startService(t)
  await service.addTasks([{ id: 't1' }])
  const browser = await signedIn(service)
  const asked = await browser.get(`${WORKSPACE}/archive`)
  assert.match(wordsOf(asked.text), /Its one key stays.*Archive workspace/)
  const csrf = fieldOf(asked, 'csrf')
  const count = async () => ((await (await service.get('/tasks')).json()) as { tasks: unknown[] }).tasks.length
  assert.deepEqual([(await service.get('/workspace')).status, await count()], [200, 1])
  for (const _ of ['a click', 'a second one']) {
    const response = await browser.post(`${WORKSPACE}/archive`, { csrf })
    assert.deepEqual([response.status, response.headers.location], [303, WORKSPACE])
    assert.deepEqual([(await service.get('/workspace')).status, await count()], [404, 0])
  }
  const { archivedAt } = await recordOf(service)
  assert.equal(archivedAt, new Date(service.time.now).toISOString())
  for (const path of [KEYS, `${KEYS}/new`, '/settings/workspaces/acme/members', `${WORKSPACE}/archive`]) {
    const { status, headers } = await browser.get(path)
    assert.deepEqual([status, headers.location], [303, WORKSPACE], path)
  }
  const closed = await browser.get(WORKSPACE)
  assert.match(wordsOf(closed.text), /This workspace is archived .*Restore workspace/)
  assert.equal((await browser.post(WORKSPACE, { csrf, version: fieldOf(closed, 'version'), name: 'x' })).status, 403)
  const restored = await browser.post(`${WORKSPACE}/restore`, { csrf })
  assert.deepEqual([restored.status, restored.headers.location], [303, WORKSPACE])
  assert.deepEqual([(await service.get('/workspace')).status, await count()], [200, 1])
  assert.equal((await browser.post(`${WORKSPACE}/restore`, { csrf })).status, 303)
  const entries = await service.newestEntries(2)
  assert.deepEqual(
    entries.map(({ action, actor }) => `${action} by ${actor}`),
    ['workspace.restored by owner@acme.example', 'workspace.archived by owner@acme.example'],
  )
})

test('people whose only workspace is archived stay signed in and can sign in: owners to restore it, others to see whom to ask', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const member = await signedIn(service, 'member')
  const csrf = fieldOf(await browser.get(WORKSPACE), 'csrf')
  await browser.post(`${WORKSPACE}/archive`, { csrf })
  const told = await member.get(WORKSPACE)
  assert.match(
    wordsOf(told.text),
    /This workspace is archived .*Only an owner can restore it\. Ask owner@acme\.example \./,
  )
  assert.doesNotMatch(told.text, /Restore workspace/)
  const refused = await member.post(`${WORKSPACE}/restore`, { csrf: fieldOf(told, 'csrf') })
  assert.match(refused.text, /The workspace page lists the owners\./)
  assert.equal((await member.get(KEYS)).headers.location, WORKSPACE)
  const owner = await signedIn(service)
  assert.match((await owner.get(WORKSPACE)).text, /Restore workspace/)
  const later = new Date(service.time.now).toISOString()
  await createWorkspace(service.operator, { name: 'AA other', slug: 'other' }, 'test', later)
  await service.addMember('owner@acme.example', 'owner', 'other')
  owner.cookies.delete('vitrine_workspace')
  assert.equal((await owner.get('/settings')).headers.location, '/settings/workspaces/other')
  assert.match((await owner.get('/settings/workspaces/other/workspace')).text, /Acme Buying \(archived\)/)
})
