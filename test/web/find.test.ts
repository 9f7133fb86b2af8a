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

test("a key's audit log is found by label, prefix, id or the pasted key, however many keys there are", async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { id, token } = await service.createKey({ label: 'Nightly report' })
  const twins = [await service.createKey({ label: 'twin' }), await service.createKey({ label: 'twin' })]
  for (let i = 0; i < 60; i++) {
    service.time.now += 1000
    await service.createKey({ label: `other ${i}` })
  }
  const prefix = token.slice(0, 10)
  const csrf = fieldOf(await browser.get(AUDIT), 'csrf')
  for (const typed of ['nightly', 'Nightly report', prefix, id, `Nightly report (${prefix}…)`, token]) {
    const { text } = await browser.submit(AUDIT, { csrf, key: typed, kind: 'changes' })
    assert.match(text, new RegExp(`name="key" value="Nightly report \\(${prefix}…\\)"`), typed)
    assert.equal(text.match(/Created the key/g)?.length, 1, typed)
    assert.match(text, new RegExp(`audit\\.csv\\?key=${id}`), 'the export has the same filter')
    assert.ok(!text.includes(token))
  }
  const page = await browser.get(AUDIT)
  const suggested = [...(/<datalist id="keys">(.*?)<\/datalist>/s.exec(page.text)?.[1] ?? '').matchAll(/<option>/g)]
  assert.equal(suggested.length, 50, 'the newest are suggested')
  assert.match(page.text, /<datalist id="keys"><option>other 59 /)

  const ambiguous = await browser.submit(AUDIT, { csrf, key: 'twin' })
  assert.match(ambiguous.text, /2 keys match\. Choose one below/)
  for (const twin of twins) assert.match(ambiguous.text, new RegExp(`href="[^"]*audit\\?key=${twin.id}">twin \\(`))
  const none = await browser.submit(AUDIT, { csrf, key: 'nothing of the kind' })
  assert.match(none.text, /No key has this label, prefix or id\./)
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
  assert.match(menu, /role="search".*All 101 workspaces/s)
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
    const found = await browser.submit(AUDIT, { csrf: fieldOf(page, 'csrf'), key: 'before' })
    assert.match(found.text, /Created the key/)
    assert.match((await browser.get(`${AUDIT}.csv`)).text, /key\.created/)
  }
  assert.equal((await member.get(AUDIT)).status, 403)
  assert.equal((await admin.get(KEYS)).headers.location, `${HOME}/workspace`)
  const csrf = fieldOf(await owner.get(AUDIT), 'csrf')
  assert.equal((await owner.post(`${HOME}/workspace`, { csrf, name: 'x' })).status, 403, 'nothing can be changed')
})
