// On both engines: one search over several tables.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addMember } from '../support/changes.ts'
import { fieldOf, KEYS, signedIn, startSignedIn } from '../support/person.ts'
import { startService } from '../support/service.ts'
import { createBareWorkspace, setArchived } from '../support/workspaces.ts'

const HOME = '/settings/workspaces/acme'
const AUDIT = `${HOME}/audit`
const at = (ms: number) => new Date(ms).toISOString()

test("a key's audit log is found by the pasted key, and from the key's page, also after it was purged", async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { id, token } = await service.createKey({ label: 'Nightly report' })
  await service.createKey({ label: 'other' })
  const csrf = fieldOf(await browser.get(AUDIT), 'csrf')
  const { headers } = await browser.post(AUDIT, { csrf, q: token, kind: 'changes' })
  assert.equal(headers.location, `${AUDIT}?key=${id}&kind=changes`)
  const { text } = await browser.get(headers.location ?? '')
  assert.match(text, /Only entries about the key <bdi>Nightly report<\/bdi>/)
  assert.equal(text.match(/Created the key/g)?.length, 1)
  assert.match(text, new RegExp(`audit\\.csv\\?key=${id}`), 'the export has the same filter')
  assert.equal((await browser.get(`${AUDIT}?key=other`)).status, 400)
  assert.match((await browser.get(`${AUDIT}?key=key_0123456789abcdef01`)).text, /No entries match/)
})

test('members are found by typing, newest first, and their pages keep what was typed', async (t) => {
  const { service, browser } = await startSignedIn(t)
  assert.doesNotMatch((await browser.get(`${HOME}/members`)).text, /role="search"/, 'one needs no search')
  for (let i = 0; i < 120; i++)
    await addMember(
      service.operator,
      'acme',
      { email: `person-${i}@acme.example`, role: i % 2 === 0 ? 'member' : 'admin' },
      'test',
      at(service.time.now + i * 1000),
    )
  const shown = (text: string) =>
    [...text.matchAll(/Manage<span class="visually-hidden"> ([^<]+)</g)].map(([, email]) => email)
  const first = await browser.get(`${HOME}/members`)
  assert.deepEqual(shown(first.text).slice(0, 2), ['person-119@acme.example', 'person-118@acme.example'])
  assert.equal(shown(first.text).length, 50)
  assert.ok(first.text.length < 60_000)
  assert.match(first.text, /1–50 of 121/)
  assert.deepEqual(shown((await browser.get(`${HOME}/members?q=person-7%40`)).text), ['person-7@acme.example'])
  assert.match((await browser.get(`${HOME}/members?q=nobody`)).text, /Nothing matches “<bdi>nobody<\/bdi>”/)
})

test('the switcher shows the last used of 101 workspaces; the others are found by typing', async (t) => {
  const { service, browser } = await startSignedIn(t)
  for (let i = 0; i < 100; i++) {
    await createBareWorkspace(service, `depot-${i}`)
    await service.addMember('owner@acme.example', 'admin', `depot-${i}`)
  }
  const used = ['depot-3', 'depot-77', 'acme', 'depot-50']
  for (const slug of used) assert.equal((await browser.get(`/settings/workspaces/${slug}/keys`)).status, 200)
  const page = await browser.get(KEYS)
  const menu = /class="menu switcher".*?<\/details>/s.exec(page.text)?.[0] ?? ''
  const slugs = [...menu.matchAll(/workspaces\/([\w-]+)\/keys"/g)].map(([, slug]) => slug)
  assert.equal(slugs.length, 8)
  assert.deepEqual(slugs.slice(0, 4), ['depot-50', 'acme', 'depot-77', 'depot-3'])
  assert.match(menu, /All 101 workspaces/)
  const all = await browser.get(`${HOME}/workspaces`)
  assert.match(all.text, /1–50 of 101/)
  const found = await browser.get(`${HOME}/workspaces?q=DEPOT-99`)
  assert.match(found.text, /href="\/settings\/workspaces\/depot-99"/)
  assert.doesNotMatch(found.text.replace(menu, ''), /<th[^>]*><a href="\/settings\/workspaces\/depot-98"/)
  assert.equal((await browser.get('/settings')).headers.location?.split('/')[3], 'acme', 'the last one used')
})

test('the audit log of an archived workspace is open to its managers, to read and export', async (t) => {
  const service = await startService(t)
  const [owner, admin, member] = [
    await signedIn(service),
    await signedIn(service, 'admin'),
    await signedIn(service, 'member'),
  ]
  await service.createKey({ label: 'before' })
  await setArchived(service, at(service.time.now))
  for (const browser of [owner, admin]) {
    const page = await browser.get(AUDIT)
    assert.match(page.text, /Created the key/)
    const found = await browser.submit(AUDIT, { csrf: fieldOf(page, 'csrf'), q: 'before' })
    assert.match(found.text, /Created the key/)
    assert.match((await browser.get(`${AUDIT}.csv`)).text, /key\.created/)
  }
  assert.equal((await member.get(AUDIT)).status, 403)
  assert.equal((await admin.get(KEYS)).headers.location, `${HOME}/workspace`)
  const csrf = fieldOf(await owner.get(AUDIT), 'csrf')
  assert.equal((await owner.post(`${HOME}/workspace`, { csrf, name: 'x' })).status, 403, 'nothing can be changed')
})
