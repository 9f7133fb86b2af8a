import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { confirmPage, severalPage } from '../../../src/web/keys/several.ts'
import { testOnce } from '../../support/database.ts'
import { textOf } from '../../support/key-forms.ts'
import { type Browser, fieldOf, KEYS, sectionOf, signedIn, startSignedIn } from '../../support/person.ts'
import { createKeyModel, frame, key } from '../../support/sample-models.ts'
import { type Service, startService } from '../../support/service.ts'
import { createBareWorkspace } from '../../support/workspaces.ts'

const SEVERAL = `${KEYS}/several`

async function start(t: TestContext) {
  const service = await startService(t)
  const keys = []
  for (const label of ['one', 'two', 'two']) keys.push(await service.createKey({ label }))
  return { service, browser: await signedIn(service), keys, ids: keys.map(({ id }) => id) }
}

/** Opens the confirmation of a change, and returns what its form would send. */
async function confirm(browser: Browser, action: string, ids: string[]): Promise<[string, string][]> {
  const query = new URLSearchParams([['action', action], ...ids.map((id): [string, string] => ['key', id])])
  const page = await browser.get(`${SEVERAL}?${query}`)
  assert.equal(page.status, 200)
  const sent = [...page.text.matchAll(/name="key" value="(\w+)"/g)].map(([, id = '']): [string, string] => ['key', id])
  assert.equal(sent.length, ids.length, 'each key is named')
  return [['csrf', fieldOf(page, 'csrf')], ['once', fieldOf(page, 'once')], ['action', action], ...sent]
}

const own = async ({ keys }: Service, ids: string[]) => (await keys.list('acme')).filter(({ id }) => ids.includes(id))

const actionsOn = async ({ newestEntries }: Service, ids: string[]) =>
  (await newestEntries(100))
    .filter(({ subject, action }) => ids.includes(subject) && action !== 'key.created')
    .map(({ action }) => action)

testOnce('the list leads to a form with its keys, and choosing none is an error', async (t) => {
  const { browser, service, ids } = await start(t)
  await service.keys.revoke(ids[0] ?? '')
  assert.ok(
    (await browser.get(`${KEYS}?q=two&show=live`)).text.includes(
      `href="${SEVERAL}?q=two&#38;show=live&#38;sort=newest"`,
    ),
  )
  const page = await browser.get(`${SEVERAL}?q=two&show=live`)
  assert.deepEqual(
    [...page.text.matchAll(/type="checkbox" name="key" value="(\w+)"/g)].map(([, id]) => id).sort(),
    ids.slice(1).sort(),
  )
  assert.match(page.text, /data-group><span class="choosers" hidden data-choosers><button [^>]*data-choose="all"/)
  assert.equal(new Set(textOf(page.text).match(/two vtr_\w{6}…/g)).size, 2, 'keys of one label differ')
  assert.doesNotMatch((await browser.get(SEVERAL)).text, new RegExp(`value="${ids[0]}"`), 'an ended key is not offered')
  const none = await browser.get(`${SEVERAL}?action=revoke&q=two&show=live`)
  assert.match(none.text, /Choose at least one key/)
  assert.match(none.text, /value="revoke" checked/, 'what was chosen is kept')
  assert.doesNotMatch(none.text, />one</, 'and so is the list')
  assert.deepEqual(
    ['q', 'show'].map((name) => fieldOf(none, name)),
    ['two', 'live'],
  )
  const { token } = await service.createKey({ label: 'pasted' })
  const pasted = await browser.get(`${SEVERAL}?action=revoke&q=${token}`)
  assert.match(pasted.text, /Choose at least one key/)
  assert.ok(!pasted.text.includes(token), 'a pasted key is not shown')
  assert.equal((await browser.get(`${SEVERAL}?action=paint&key=${ids[1]}`)).status, 400)
  const many = Array.from({ length: 101 }, (_, index) => `key=${index}`).join('&')
  assert.equal((await browser.get(`${SEVERAL}?action=revoke&${many}`)).status, 400)
})

test('an expiry is set on each, audited one by one, and a repeated form changes nothing more', async (t) => {
  const { browser, service, ids } = await start(t)
  const form = await confirm(browser, 'expiry', ids)
  const wrong = await browser.submit(SEVERAL, [...form, ['expiry', 'custom'], ['expiryDate', '2020-01-01']])
  assert.match(wrong.text, /Choose today or a later date/)
  await service.keys.revoke(ids[0] ?? '')
  const sent: [string, string][] = [...form, ['expiry', 'custom'], ['expiryDate', '2027-01-31']]
  const posted = await browser.post(SEVERAL, sent)
  assert.equal(posted.status, 303)
  const done = await browser.get(posted.headers.location ?? '')
  assert.match(textOf(done.text), /2 keys changed, 1 not\. Already ended: “one” \(vtr_\w{6}…\)\./)
  assert.match(textOf((await browser.get(SEVERAL)).text), /ends 31 Jan 2027,/, 'the last day, as on other pages')
  const changed = await own(service, ids)
  assert.deepEqual(
    ids.map((id) => changed.find((key) => key.id === id)?.expiresAt),
    [null, '2027-02-01T00:00:00.000Z', '2027-02-01T00:00:00.000Z'],
  )
  assert.deepEqual(await actionsOn(service, ids.slice(1)), ['key.updated', 'key.updated'])
  const again = await browser.post(SEVERAL, [...form, ['expiry', 'never']])
  assert.equal(again.status, 409)
  assert.equal((await actionsOn(service, ids.slice(1))).length, 2)
})

test('rotated keys are shown once, on one page that is neither cached nor compressed, and they work', async (t) => {
  const { browser, service, keys, ids } = await start(t)
  const form: [string, string][] = [...(await confirm(browser, 'rotate', ids)), ['overlap', '0']]
  const page = await browser.post(SEVERAL, form)
  assert.equal(page.status, 200)
  assert.equal(page.headers['cache-control'], 'no-store')
  assert.equal(page.headers['content-encoding'], undefined)
  const tokens = page.text.match(/vtr_\w{49}/g) ?? []
  assert.equal(tokens.length, 3)
  const statusOf = async (token: string) =>
    (await fetch(`${service.url}/tasks`, { headers: { authorization: `Bearer ${token}` } })).status
  for (const token of tokens) assert.equal(await statusOf(token), 200)
  for (const { token } of keys) assert.equal(await statusOf(token), 401)
  const again = await browser.post(SEVERAL, form)
  assert.equal(again.status, 409)
  assert.doesNotMatch(again.text, /vtr_\w{49}/)
  assert.match(textOf(again.text), /New keys were shown only then/)
  assert.equal(sectionOf(again), 'API keys')
  assert.deepEqual(await actionsOn(service, ids), ['key.rotated', 'key.rotated', 'key.rotated'])
})

testOnce('of many that could not be changed, the first are named and the others counted', async (t) => {
  const { browser, service } = await startSignedIn(t)
  const keys = await Promise.all(Array.from({ length: 11 }, (_, n) => service.createKey({ label: `key ${n}` })))
  const ids = keys.map(({ id }) => id)
  const form = await confirm(browser, 'revoke', ids)
  const gone = form.filter(([name]) => name !== 'key' && name !== 'once')
  for (const id of ids.slice(1)) await service.keys.revoke(id)
  const notice = textOf((await browser.submit(SEVERAL, form)).text)
  assert.match(notice, /1 key changed, 10 not\. Already ended: .*, and 2 more\./)
  assert.equal(notice.match(/“key \d+”/g)?.length, 8)
  const missing = await browser.submit(SEVERAL, [...gone, ['once', 'A'.repeat(43)], ['key', `key_${'0'.repeat(18)}`]])
  assert.match(textOf(missing.text), /Nothing was changed\. No longer stored: 1\./)
})

testOnce('each key that was not rotated is named with its own reason', async (t) => {
  const { browser, service, ids } = await start(t)
  const client = { id: 'https://client.example/c.json', host: 'client.example' }
  const newKey = { label: 'agent', permissions: ['tasks:read'], quota: null, expiresAt: null }
  const connected = (await service.keys.create('acme', newKey, client)).key.id
  const form = await confirm(browser, 'rotate', [...ids, connected])
  await service.keys.revoke(ids[0] ?? '')
  await service.keys.rotate(ids[1] ?? '', 3_600_000)
  const page = await browser.post(SEVERAL, [...form, ['overlap', '24h']])
  assert.equal(page.text.match(/vtr_\w{49}/g)?.length, 1)
  const notice = textOf(page.text)
  assert.match(notice, /1 key changed, 3 not\./)
  assert.match(notice, /Already ended: “one” \(vtr_\w{6}…\)\./)
  assert.match(notice, /Already rotated: “two” \(vtr_\w{6}…\)\./)
  assert.match(notice, /Not rotated, because their clients renew their own tokens: “agent” \(client\.example\)\./)
})

test('several are revoked at once; keys of other workspaces, and members, change nothing', async (t) => {
  const { browser, service, ids } = await start(t)
  await createBareWorkspace(service, 'other')
  const theirs = (await service.keys.list('other'))[0]?.id ?? ''
  const form = await confirm(browser, 'revoke', ids)
  const posted = await browser.post(SEVERAL, [...form, ['key', theirs]])
  assert.match(
    textOf((await browser.get(posted.headers.location ?? '')).text),
    /3 keys changed, 1 not\. No longer stored: 1\./,
  )
  assert.ok((await own(service, ids)).every(({ revokedAt }) => revokedAt !== null))
  assert.equal((await service.keys.list('other'))[0]?.revokedAt, null)
  const member = await signedIn(service, 'member', 'sam@acme.example')
  assert.equal((await member.get(SEVERAL)).status, 403)
})

testOnce('the form with 100 keys, and its confirmation, stay under 60 KB whatever their labels', () => {
  const keys = Array.from({ length: 100 }, (_, index) => key(`k${index}`, '<'.repeat(100)))
  const model = { ...createKeyModel, frame, keys, action: 'expiry' } as const
  for (const page of [severalPage(frame, keys, true), confirmPage(model)]) assert.ok(Buffer.byteLength(page) < 60_000)
})
