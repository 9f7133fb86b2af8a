// On both engines: one statement for any set of changes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testOnce } from '../../../support/database.ts'
import { fieldOf, KEYS, openEditForm, startSignedIn, textOf, typedIn } from '../../../support/person.ts'
import type { Service } from '../../../support/service.ts'

const keyOf = async (service: Service, id: string) => (await service.keys.list('acme')).find((key) => key.id === id)

test('a key is renamed, and its limit and expiry changed, for the next request; everything is audited', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { token, id } = await service.createKey({ label: 'report' })
  const form = await openEditForm(browser, id)
  assert.deepEqual([form.label, form.expiry, form.rateLimit], ['report', 'never', ''])
  const changed = {
    label: 'דוח לילי 🧾',
    expiry: 'custom',
    expiryDate: '2027-06-30',
    rateLimit: '7',
    rateWindow: '120',
  }
  const posted = await browser.post(`${KEYS}/${id}/edit`, { ...form, ...changed })
  assert.deepEqual([posted.status, posted.headers.location], [303, `${KEYS}/${id}`])
  const key = await keyOf(service, id)
  assert.equal(key?.label, 'דוח לילי 🧾')
  assert.deepEqual(key?.quota, { limit: 7, windowSeconds: 120 })
  assert.equal(key?.expiresAt, '2027-06-30T23:00:00.000Z', 'the end of that day in London, in summer')
  const response = await fetch(`${service.url}/tasks`, { headers: { authorization: `Bearer ${token}` } })
  assert.equal(response.headers.get('ratelimit-policy'), '7;w=120')
  const page = textOf((await browser.get(posted.headers.location ?? '')).text)
  assert.match(page, /Your changes are saved\./)
  assert.match(page, /Expires 30 Jun 2027 /)
  const history = textOf((await browser.get(`${KEYS}/${id}/history`)).text)
  assert.match(history, /Changed the key owner@acme\.example/)
  assert.equal((await openEditForm(browser, id)).expiryDate, '2027-06-30')
})

test('unchanged values stay the same, to the second, and without a change nothing is audited', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const expiresAt = '2026-12-24T09:30:00.000Z'
  const { id } = await service.createKey({ label: 'report', expiresAt, quota: { limit: 5, windowSeconds: 9 } })
  const form = await openEditForm(browser, id)
  assert.equal((await browser.post(`${KEYS}/${id}/edit`, form)).status, 303)
  assert.doesNotMatch(textOf((await browser.get(`${KEYS}/${id}/history`)).text), /Changed the key/)
  await browser.post(`${KEYS}/${id}/edit`, { ...form, label: 'nightly' })
  const key = await keyOf(service, id)
  assert.deepEqual([key?.label, key?.expiresAt, key?.quota?.windowSeconds], ['nightly', expiresAt, 9])
})

testOnce('a form with errors comes back with what was typed, and changes nothing', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { token, id } = await service.createKey({ label: 'report' })
  const form = await openEditForm(browser, id)
  const faulty = { label: ' ', expiry: 'custom', expiryDate: '2026-11-14', rateLimit: 'many', rateWindow: '7' }
  const response = await browser.submit(`${KEYS}/${id}/edit`, { ...form, ...faulty })
  assert.match(
    textOf(response.text),
    /Nothing was saved\. Give the key a name.* Choose today or a later date.* whole numbers/,
  )
  assert.deepEqual(
    ['expiryDate', 'rateLimit', 'rateWindow'].map((name) => typedIn(response.text, name)),
    ['2026-11-14', 'many', '7'],
  )
  const pasted = await browser.post(`${KEYS}/${id}/edit`, { ...form, label: `mine ${token}` })
  assert.equal(pasted.status, 422)
  assert.ok(!pasted.text.includes(token))
  assert.equal((await keyOf(service, id))?.label, 'report')
})

test('the later of two tabs is shown what the earlier changed, keeps what was typed, and can save it', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { id } = await service.createKey({ label: 'report' })
  const [first, second] = [await openEditForm(browser, id), await openEditForm(browser, id)]
  assert.equal((await browser.post(`${KEYS}/${id}/edit`, { ...first, label: 'weekly', rateLimit: '50' })).status, 303)
  const late = await browser.submit(`${KEYS}/${id}/edit`, {
    ...second,
    label: 'monthly',
    expiry: 'custom',
    expiryDate: '2027-01-31',
  })
  assert.match(textOf(late.text), /Nothing was saved: the key changed while this page was open\. Label: now weekly /)
  assert.match(textOf(late.text), /Rate limit: now 50 requests in 60 seconds /)
  assert.deepEqual(
    ['label', 'expiryDate', 'rateLimit'].map((name) => typedIn(late.text, name)),
    ['monthly', '2027-01-31', '50'],
  )
  assert.equal((await keyOf(service, id))?.label, 'weekly')
  const again = {
    ...second,
    version: fieldOf(late, 'version'),
    ...{ label: 'monthly', expiry: 'custom', expiryDate: '2027-01-31', rateLimit: '50', rateWindow: '60' },
  }
  assert.equal((await browser.post(`${KEYS}/${id}/edit`, again)).status, 303)
  const key = await keyOf(service, id)
  assert.deepEqual([key?.label, key?.quota?.limit, key?.expiresAt], ['monthly', 50, '2027-02-01T00:00:00.000Z'])
})

for (const path of [KEYS, '/settings/workspaces/acme/workspace', '/settings/workspaces/acme/notices'])
  testOnce(
    `a form at ${path} without the version that it was opened with, or with another, saves nothing`,
    async (t) => {
      const { service, browser } = await startSignedIn(t)
      const { id } = await service.createKey({ label: 'report' })
      const url = path === KEYS ? `${KEYS}/${id}/edit` : path
      const opened = path === KEYS ? await openEditForm(browser, id) : { csrf: fieldOf(await browser.get(url), 'csrf') }
      const typed = {
        ...opened,
        label: 'weekly',
        name: 'Other',
        timezone: '',
        currency: '',
        country: '',
        kinds: 'leaked',
      }
      for (const version of ['', 'a.b.c.d.e']) {
        assert.match((await browser.submit(url, { ...typed, version })).text, /Nothing was saved/)
      }
      assert.equal((await keyOf(service, id))?.label, 'report')
      assert.doesNotMatch((await browser.get('/settings/workspaces/acme/workspace')).text, /Other/)
    },
  )

test('permissions and networks are changed for the next request, and both are audited', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { token, id } = await service.createKey({ label: 'report', permissions: ['orders:read', 'tasks:read'] })
  const ask = async () =>
    (await fetch(`${service.url}/tasks`, { headers: { authorization: `Bearer ${token}` } })).status
  const form = await openEditForm(browser, id)
  assert.deepEqual([form.permissions, form.networks], [['tasks:read'], ''])
  assert.equal(await ask(), 200)
  const permissions = ['workspace:read']
  const posted = await browser.post(`${KEYS}/${id}/edit`, {
    ...form,
    permissions,
    networks: '127.0.0.0/8 2001:DB8::/32',
  })
  assert.equal(posted.status, 303)
  const key = await keyOf(service, id)
  assert.deepEqual(key?.networks, ['127.0.0.0/8', '2001:db8::/32'])
  assert.deepEqual(key?.permissions, ['workspace:read', 'orders:read'], 'a removed resource has no checkbox')
  assert.equal(await ask(), 403)
  const page = textOf((await browser.get(posted.headers.location ?? '')).text)
  assert.match(page, /Networks 127\.0\.0\.0\/8, 2001:db8::\/32 /)
  assert.match(
    textOf((await browser.get(`${KEYS}/${id}/history`)).text),
    /networks everywhere → 127\.0\.0\.0\/8, 2001:db8::\/32/,
  )
})

test('the values that exist are offered as limits, and what was ticked joins what was typed', async (t) => {
  const { service, browser } = await startSignedIn(t)
  await service.addTasks([
    ...['linen', 'wool', 'wool', 'cotton, blue', 'x'.repeat(61)].map((bookKey, n) => ({ id: `t${n}`, bookKey })),
    { id: 'assigned', assigneeEmail: 'ana@x.example' },
  ])
  const { id, token } = await service.createKey({ label: 'report' })
  const path = `${KEYS}/${id}/edit`
  const offered = [...(await browser.get(path)).text.matchAll(/name="onlyValue" value="([^"]*)"/g)].map(
    ([, each]) => each,
  )
  const books = ['wool', 'linen', 'cotton\\, blue'].map((book) => `tasks.bookKey=${book}`)
  assert.deepEqual(offered, [...books, 'tasks.assigneeEmail=ana@x.example'])
  const form = { ...(await openEditForm(browser, id)), only: 'tasks.bookKey=linen' }
  assert.equal((await browser.post(path, { ...form, onlyValue: [books[2] ?? ''] })).status, 303)
  assert.deepEqual((await keyOf(service, id))?.only, { tasks: { bookKey: ['cotton, blue', 'linen'] } })
  const seen = await (await fetch(`${service.url}/tasks`, { headers: { authorization: `Bearer ${token}` } })).json()
  assert.equal((seen as { tasks: object[] }).tasks.length, 2)
  assert.match(
    textOf((await browser.get(`${KEYS}/${id}`)).text),
    /Rows Only tasks with this book key: cotton, blue, linen /,
  )
  const again = await browser.get(path)
  const checked = [...again.text.matchAll(/name="onlyValue" value="([^"]*)" checked/g)].map(([, each]) => each)
  assert.deepEqual(checked, [books[1], books[2]], 'what is chosen is ticked')
  assert.match(again.text, /id="only" name="only" type="text" value=""/, 'only the rest is typed')
  assert.match(textOf(again.text), /Tasks: only those chosen, of \d rows/)
  const entries = await service.newestEntries(5)
  assert.equal((await browser.post(path, { ...form, onlyValue: [books[2] ?? ''] })).status, 303)
  assert.deepEqual(await service.newestEntries(5), entries, 'the same choice in other boxes is no change')
  assert.match(textOf((await browser.get(KEYS)).text), /some tasks/)
  assert.match(textOf((await browser.get(`${KEYS}/${id}/history`)).text), /only everything → tasks\.bookKey=cotton/)
  assert.match(
    textOf((await browser.get(`${KEYS}/${id}/agent`)).text),
    /sees only tasks whose bookKey is "cotton, blue" or/,
  )
})

test('a limit that is wrong, or whose permission goes, is refused by the form', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { id } = await service.createKey({ label: 'report', only: { tasks: { bookKey: ['linen'] } } })
  const path = `${KEYS}/${id}/edit`
  const form = await openEditForm(browser, id)
  assert.equal(form.only, 'tasks.bookKey=linen')
  const wrong = await browser.submit(path, { ...form, only: 'tasks.book=linen' })
  assert.match(textOf(wrong.text), /Rows: tasks cannot be limited by "book"; use bookKey/)
  const unread = await browser.submit(path, { ...form, permissions: ['workspace:read'] })
  assert.match(textOf(unread.text), /Rows: the key is limited to some tasks, which it may not read/)
  assert.equal((await browser.post(path, { ...form, permissions: ['workspace:read'], only: '' })).status, 303)
  assert.equal((await keyOf(service, id))?.only, null)
})
