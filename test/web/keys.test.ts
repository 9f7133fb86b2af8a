import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newestEntries } from '../../src/audit/log.ts'
import { fieldOf, KEYS, makeKeyOnPage, signedIn } from '../support/person.ts'
import { type Service, startService } from '../support/service.ts'

const DAY_MS = 86_400_000

const read = (service: Service, token: string, path = '/tasks', headers: Record<string, string> = {}) =>
  fetch(service.url + path, { headers: { authorization: `Bearer ${token}`, ...headers } })

/** The one key that was made on the page. */
const newest = async (service: Service) =>
  (await service.keys.list('acme')).find(({ createdBy }) => createdBy === 'owner@acme.example')

test('a key made on the page works, is as it was asked for, and says who made it', async (t) => {
  const service = await startService(t)
  const browser = await signedIn(service)
  service.time.now += 1000
  const { answer, token } = await makeKeyOnPage(browser, {
    label: ' Nightly <report> ',
    rateLimit: '5',
    rateWindow: '60',
  })
  assert.equal(answer.status, 200)
  assert.match(answer.text, /Nightly &#60;report&#62;/)
  assert.equal((await read(service, token)).headers.get('ratelimit-policy'), '5;w=60')
  const key = await newest(service)
  assert.equal(key?.label, 'Nightly <report>')
  assert.equal(key?.createdBy, 'owner@acme.example')
  assert.deepEqual(key?.permissions, ['workspace:read', 'tasks:read'])
  assert.deepEqual(key?.quota, { limit: 5, windowSeconds: 60 })
  assert.equal(key?.expiresAt, new Date(service.time.now + 90 * DAY_MS).toISOString())
  const trail = await service.operator.transaction((tx) => newestEntries(tx, key?.workspaceId ?? '', 1))
  assert.deepEqual(
    trail.map(({ actor, action, subject }) => ({ actor, action, subject })),
    [{ actor: 'owner@acme.example', action: 'key.created', subject: key?.id }],
  )
})

test('a key is shown once: not by a reload, not on the way back, not on any other page', async (t) => {
  const service = await startService(t)
  const browser = await signedIn(service)
  const { answer, form, token } = await makeKeyOnPage(browser)
  assert.equal(answer.headers['cache-control'], 'no-store')
  const before = (await service.keys.list('acme')).length
  for (let i = 0; i < 2; i++) {
    const again = await browser.post(KEYS, form)
    assert.equal(again.status, 409)
    assert.doesNotMatch(again.text, /vtr_[0-9A-Za-z]{11}/)
  }
  assert.equal((await service.keys.list('acme')).length, before)
  const id = (await newest(service))?.id
  for (const path of [
    KEYS,
    `${KEYS}/new`,
    `${KEYS}/${id}/rotate`,
    `${KEYS}/${id}/revoke`,
    '/settings/workspaces/acme/audit',
    '/settings/workspaces/acme/audit.csv',
    '/settings/workspaces/acme/audit.ndjson',
  ])
    assert.ok(!(await browser.get(path)).text.includes(token), path)
  assert.ok(!service.logLines.join('').includes(token))
})

test('a form sent many times at once makes one key', async (t) => {
  const service = await startService(t)
  const browser = await signedIn(service)
  const page = await browser.get(`${KEYS}/new`)
  const fields = {
    csrf: fieldOf(page, 'csrf'),
    once: fieldOf(page, 'once'),
    label: 'x',
    permissions: 'tasks:read',
    expiry: 'never',
  }
  const answers = await Promise.all(Array.from({ length: 8 }, () => browser.post(KEYS, fields)))
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  assert.equal(answers.filter(({ status }) => status === 409).length, 7)
  assert.equal((await service.keys.list('acme')).filter(({ label }) => label === 'x').length, 1)
})

const faults: [fields: Record<string, string>, message: RegExp][] = [
  [{ label: ' ' }, /Give the key a name/],
  [{ label: 'x'.repeat(101) }, /must be 1 to 100 characters/],
  [{ label: 'a\nb' }, /on one line/],
  [{ expiry: 'custom', expiryDate: '2026-11-14' }, /a day that is still to come/],
  [{ expiry: 'custom', expiryDate: 'soon' }, /a day that is still to come/],
  [{ expiry: 'custom', expiryDate: '9999-01-01' }, /a day that is still to come/],
  [{ rateLimit: '0', rateWindow: '60' }, /whole numbers/],
  [{ rateLimit: '10', rateWindow: '100000' }, /whole numbers/],
]
test('a fault in the form is told beside what was typed, and nothing is made', async (t) => {
  const service = await startService(t)
  const browser = await signedIn(service)
  for (const [fields, message] of faults) {
    const { answer } = await makeKeyOnPage(browser, { label: 'kept label', ...fields })
    assert.equal(answer.status, 422, JSON.stringify(fields))
    assert.match(answer.text, message)
    if (fields.label === undefined) assert.match(answer.text, /value="kept label"/)
  }
  const page = await browser.get(`${KEYS}/new`)
  const none = {
    csrf: fieldOf(page, 'csrf'),
    once: fieldOf(page, 'once'),
    label: 'x',
    permissions: 'tasks:write',
    expiry: '30',
  }
  assert.equal((await browser.post(KEYS, none)).status, 422)
  assert.equal((await service.keys.list('acme')).length, 1)
})

test('a day is meant to its end', async (t) => {
  const service = await startService(t)
  const browser = await signedIn(service)
  await makeKeyOnPage(browser, { expiry: 'custom', expiryDate: '2026-11-15' })
  assert.equal((await newest(service))?.expiresAt, '2026-11-16T00:00:00.000Z')
})

test('the list shows what each key is, finds by label, and draws its use', async (t) => {
  const service = await startService(t)
  const browser = await signedIn(service)
  const { token } = await makeKeyOnPage(browser, { label: 'Nightly report' })
  await makeKeyOnPage(browser, { label: 'agent' })
  for (let i = 0; i < 3; i++) await read(service, token)
  const page = await browser.get(`${KEYS}?q=NIGHT`)
  assert.match(page.text, /Nightly report/)
  assert.doesNotMatch(page.text, /agent<\/bdi>/)
  assert.ok(page.text.includes(token.slice(0, 10)))
  const all = await browser.get(KEYS)
  for (const label of ['Nightly report', 'agent', 'test']) assert.ok(all.text.includes(label), label)
})

test('revoking asks first, names the key and its last use, and is seen by the next request', async (t) => {
  const service = await startService(t)
  const browser = await signedIn(service)
  const { token } = await makeKeyOnPage(browser)
  await read(service, token)
  const id = (await newest(service))?.id ?? ''
  const page = await browser.get(`${KEYS}/${id}/revoke`)
  assert.match(page.text, /nightly report/)
  assert.equal((await read(service, token)).status, 200)
  const answer = await browser.post(`${KEYS}/${id}/revoke`, { csrf: fieldOf(page, 'csrf') })
  assert.equal(answer.headers.location, `${KEYS}?revoked=${id}`)
  assert.equal((await read(service, token)).status, 401)
  assert.match((await browser.get(answer.headers.location ?? '')).text, /“nightly report” is revoked/)
  const again = await browser.post(`${KEYS}/${id}/revoke`, { csrf: fieldOf(page, 'csrf') })
  assert.equal(again.status, 409)
  assert.equal((await browser.get(`${KEYS}/${id}/rotate`)).status, 409)
})

test('rotating shows a successor once, and tells when the old key is still in use', async (t) => {
  const service = await startService(t)
  const browser = await signedIn(service)
  const { token: old } = await makeKeyOnPage(browser)
  const id = (await newest(service))?.id ?? ''
  const page = await browser.get(`${KEYS}/${id}/rotate`)
  const form = { csrf: fieldOf(page, 'csrf'), once: fieldOf(page, 'once'), overlap: '24h' }
  service.time.now += 60_000
  const answer = await browser.post(`${KEYS}/${id}/rotate`, form)
  assert.equal(answer.status, 200)
  const successor = /vtr_[0-9A-Za-z]{49}/.exec(answer.text)?.[0] ?? ''
  assert.notEqual(successor, old)
  assert.doesNotMatch((await browser.get(KEYS)).text, /still being used/)
  service.time.now += 1000
  for (const token of [old, successor]) assert.equal((await read(service, token)).status, 200)
  await service.flush()
  assert.match((await browser.get(KEYS)).text, /The old key is still being used/)
  assert.equal((await browser.post(`${KEYS}/${id}/rotate`, form)).status, 409)
  service.time.now += DAY_MS
  assert.equal((await read(service, old)).status, 401)
  assert.equal((await read(service, successor)).status, 200)
  assert.equal((await service.keys.list('acme')).length, 3)
})

test('a key of another workspace cannot be touched, or even asked about', async (t) => {
  const service = await startService(t)
  const browser = await signedIn(service)
  const { makeBareWorkspace } = await import('../support/workspaces.ts')
  await makeBareWorkspace(service, 'other')
  const [theirs] = await service.keys.list('other')
  const csrf = fieldOf(await browser.get(KEYS), 'csrf')
  for (const path of [`${KEYS}/${theirs?.id}/revoke`, `${KEYS}/${theirs?.id}/rotate`]) {
    assert.equal((await browser.get(path)).status, 404)
    const fields = { csrf, overlap: '0', once: 'A'.repeat(43) }
    assert.equal((await browser.post(path, fields)).status, 404)
  }
  assert.equal((await service.keys.list('other'))[0]?.revokedAt, null)
})
