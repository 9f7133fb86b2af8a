import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillWithKeys } from '../../../support/keys.ts'
import {
  Browser,
  createdKey,
  createKeyOnPage,
  fieldOf,
  KEYS,
  openForm,
  signedIn,
  startSignedIn,
} from '../../../support/person.ts'
import { replicaOf } from '../../../support/replicas.ts'
import { type Service, startService } from '../../../support/service.ts'

const DAY_MS = 86_400_000

const read = (service: Service, token: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}/tasks`, { headers: { authorization: `Bearer ${token}`, ...headers } })

test('a key created on the page works, is as requested, and shows who created it', async (t) => {
  const { service, browser } = await startSignedIn(t)
  service.time.now += 1000
  const { response, token } = await createKeyOnPage(browser, {
    label: ' Nightly <report> ',
    rateLimit: '5',
    rateWindow: '60',
  })
  assert.equal(response.status, 200)
  assert.match(response.text, /Nightly &#60;report&#62;/)
  assert.equal((await read(service, token)).headers.get('ratelimit-policy'), '5;w=60')
  const key = await createdKey(service)
  assert.equal(key?.label, 'Nightly <report>')
  assert.equal(key?.createdBy, 'owner@acme.example')
  assert.deepEqual(key?.permissions, ['workspace:read', 'tasks:read'])
  assert.deepEqual(key?.quota, { limit: 5, windowSeconds: 60 })
  assert.equal(key?.expiresAt, new Date(service.time.now + 90 * DAY_MS).toISOString())
  const trail = await service.newestEntries()
  assert.deepEqual(
    trail.map(({ actor, action, subject }) => ({ actor, action, subject })),
    [{ actor: 'owner@acme.example', action: 'key.created', subject: key?.id }],
  )
})

test('a key is shown once: not by a reload, not on going back, not on any other page', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { response, form, token } = await createKeyOnPage(browser)
  assert.equal(response.headers['cache-control'], 'no-store')
  const before = (await service.keys.list('acme')).length
  for (let i = 0; i < 2; i++) {
    const again = await browser.post(KEYS, form)
    assert.equal(again.status, 409)
    assert.doesNotMatch(again.text, /vtr_[0-9A-Za-z]{11}/)
  }
  assert.equal((await service.keys.list('acme')).length, before)
  const id = (await createdKey(service))?.id
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

test('a form sent to two servers at once creates one key', async (t) => {
  const service = await startService(t)
  const other = await replicaOf(t, service)
  const browser = await signedIn(service)
  const elsewhere = new Browser(other.url, browser.cookies)
  const { csrf, once } = await openForm(browser, `${KEYS}/new`)
  const fields = { csrf, once, label: 'x', permissions: 'tasks:read', expiry: 'never' }
  const responses = await Promise.all([browser, elsewhere, browser, elsewhere].map((one) => one.post(KEYS, fields)))
  assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409, 409, 409])
  assert.equal((await service.keys.list('acme')).filter(({ label }) => label === 'x').length, 1)
})

test('a form that one person sent creates nothing for another, and does not show them its key', async (t) => {
  const service = await startService(t)
  const { form } = await createKeyOnPage(await signedIn(service), { label: 'the first' })
  const admin = await signedIn(service, 'admin')
  const csrf = fieldOf(await admin.get(KEYS), 'csrf')
  const response = await admin.post(KEYS, [['csrf', csrf], ...form.filter(([name]) => name !== 'csrf')])
  assert.equal(response.status, 400)
  assert.match(response.text, /This form is incomplete/)
  assert.doesNotMatch(response.text, /the first|vtr_/)
  assert.equal((await service.keys.list('acme')).length, 2)
})

const mistakes: [fields: Record<string, string>, message: RegExp][] = [
  [{ label: ' ' }, /Give the key a name/],
  [{ label: 'x'.repeat(101) }, /must be 1 to 100 characters/],
  [{ expiry: 'custom', expiryDate: '2026-11-14' }, /today or a later date/],
  [{ expiry: 'custom', expiryDate: '9999-12-31' }, /within the next 100 years, or “Never”/],
  [{ expiry: 'custom', expiryDate: '2027-02-29' }, /today or a later date/],
  [{ rateLimit: '0', rateWindow: '60' }, /whole numbers/],
]
test('an error in the form is shown next to what was typed, and nothing is created', async (t) => {
  const { service, browser } = await startSignedIn(t)
  for (const [fields, message] of mistakes) {
    const { response } = await createKeyOnPage(browser, { label: 'kept label', ...fields })
    assert.match(response.text, message, JSON.stringify(fields))
    assert.match(response.text, /aria-invalid="true"/)
    if (fields.label === undefined) assert.match(response.text, /value="kept label"/)
  }
  const none = { ...(await openForm(browser, `${KEYS}/new`)), label: 'x', permissions: 'tasks:write', expiry: '30' }
  assert.match((await browser.submit(KEYS, none)).text, /Choose at least one/)
  assert.equal((await service.keys.list('acme')).length, 1)
})

/** The workspace's timezone, the time, the date that is chosen, and when its day ends. */
const ends: [timezone: string, now: string, date: string, expiresAt: string][] = [
  ['Europe/London', '2026-11-15T12:00:00.000Z', '2026-11-15', '2026-11-16T00:00:00.000Z'],
  // 14 hours ahead of UTC: it is the next day there already.
  ['Pacific/Kiritimati', '2026-11-15T12:00:00.000Z', '2026-11-16', '2026-11-16T10:00:00.000Z'],
  ['Pacific/Pago_Pago', '2026-11-15T10:00:00.000Z', '2026-11-14', '2026-11-15T11:00:00.000Z'],
  // Midnight is skipped: the day after begins at one.
  ['Africa/Cairo', '2026-04-01T12:00:00.000Z', '2026-04-23', '2026-04-23T22:00:00.000Z'],
]
test('an expiry date includes its whole day in the workspace’s timezone, and is shown as it was chosen', async (t) => {
  const { service, browser } = await startSignedIn(t)
  for (const [timezone, now, date, expiresAt] of ends) {
    service.time.now = Date.parse(now)
    await browser.signIn(service.operator, 'owner@acme.example', service.time.now)
    await setTimezone(service, timezone)
    const form = await browser.get(`${KEYS}/new`)
    assert.match(
      form.text,
      new RegExp(`last day on which the key works, in the workspace’s timezone, <bdi>${timezone}`),
    )
    const today = new Intl.DateTimeFormat('en-CA', { timeZone: timezone }).format(service.time.now)
    assert.match(form.text, new RegExp(`type="date" min="${today}"`), timezone)
    const label = `${timezone} ${date}`
    const { response } = await createKeyOnPage(browser, { label, expiry: 'custom', expiryDate: date })
    assert.equal(response.status, 200, timezone)
    const key = (await service.keys.list('acme')).find((one) => one.label === label)
    assert.equal(key?.expiresAt, expiresAt, timezone)
    const shown = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }).format(Date.parse(date))
    assert.match(response.text, new RegExp(`until <time [^>]+>${shown}</time>`), timezone)
  }
})

const setTimezone = ({ operator }: Service, timezone: string) =>
  operator.transaction((tx) => tx.run(`UPDATE workspaces SET timezone = ? WHERE slug = 'acme'`, timezone))

test('a workspace with as many keys as it may have gets no further one, and the page says so', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const [key] = await service.keys.list('acme')
  await fillWithKeys(service.operator, key?.workspaceId ?? '')
  const { response } = await createKeyOnPage(browser)
  assert.equal(response.status, 200)
  assert.match(response.text, /No key was created: this workspace has 1,000 keys that have not ended/)
})
