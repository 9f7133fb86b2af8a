import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type Browser, fieldOf, KEYS, signedIn, startSignedIn, textOf } from '../../../support/person.ts'
import type { Service } from '../../../support/service.ts'
import { createBareWorkspace } from '../../../support/workspaces.ts'

const REVOKE = `${KEYS}/revoke`
const LABEL = `${'l'.repeat(99)}!`

async function start(t: TestContext) {
  const { service, browser } = await startSignedIn(t)
  const ids = []
  for (const label of [LABEL, 'two', 'two']) ids.push((await service.createKey({ label })).id)
  return { service, browser, ids }
}

const keysIn = (page: string, type: string) =>
  [...page.matchAll(new RegExp(`type="${type}" name="key" value="(\\w+)"`, 'g'))].map(([, id]) => id).sort()

/** Opens the confirmation, and returns what its form would send. */
async function confirm(browser: Browser, ids: string[], path = `${REVOKE}?${ids.map((id) => `key=${id}`).join('&')}`) {
  const page = await browser.get(path)
  assert.equal(page.status, 200)
  const keys = keysIn(page.text, 'hidden')
  assert.deepEqual(keys, [...ids].sort())
  const form = [
    ...['csrf', 'once', 'q', 'show', 'sort', 'page'].map((name): [string, string] => [name, fieldOf(page, name)]),
    ...keys.map((id = ''): [string, string] => ['key', id]),
  ]
  return { form, text: textOf(page.text) }
}

const revokedAmong = async ({ keys }: Service, ids: string[]) =>
  (await keys.list('acme')).filter(({ id, revokedAt }) => ids.includes(id) && revokedAt !== null).length

const entriesOf = async ({ newestEntries }: Service) =>
  (await newestEntries(100)).filter(({ action }) => action === 'key.revoked').map(({ subject }) => subject)

test('the list offers the keys that have not ended, and the selected ones are revoked together', async (t) => {
  const { service, browser, ids } = await start(t)
  const ended = await service.createKey({ label: 'ended' })
  await service.keys.revoke(ended.id)
  const list = await browser.get(`${KEYS}?q=llll&show=live`)
  assert.deepEqual(keysIn(list.text, 'checkbox'), ids.slice(0, 1))
  const all = keysIn((await browser.get(KEYS)).text, 'checkbox')
  assert.deepEqual(
    [...ids, ended.id].map((id) => all.includes(id)),
    [true, true, true, false],
  )
  assert.ok(!(await browser.get(`${KEYS}?show=revoked`)).text.includes('Revoke selected'))

  const selected = ids.slice(0, 2)
  const { form, text } = await confirm(browser, selected, `${REVOKE}?q=t&show=live&key=${selected.join('&key=')}`)
  assert.ok(text.includes(LABEL), 'the whole label')
  assert.equal(text.match(/vtr_\w{6}… Live never used/g)?.length, 2)
  assert.equal(await revokedAmong(service, ids), 0)
  const response = await browser.post(REVOKE, form)
  assert.equal(response.headers.location, `${KEYS}?q=t&show=live`)
  assert.match(textOf((await browser.get(`${KEYS}?q=t&show=live`)).text), /2 keys revoked\./)
  assert.equal(await revokedAmong(service, ids), 2)
  assert.deepEqual((await entriesOf(service)).sort(), [ended.id, ...selected].sort())

  const again = await browser.post(REVOKE, form)
  assert.equal(again.status, 409)
  assert.match(textOf(again.text), /The first time, it revoked the keys\./)
  assert.equal((await entriesOf(service)).length, 3)
})

test('if a selected key has ended meanwhile, none is revoked until the others are confirmed again', async (t) => {
  const { service, browser, ids } = await start(t)
  const { form } = await confirm(browser, ids)
  await service.keys.revoke(ids[0] ?? '')
  const reopened = await browser.post(REVOKE, form)
  assert.equal(await revokedAmong(service, ids), 1)
  const { form: rest, text } = await confirm(browser, ids.slice(1), reopened.headers.location)
  assert.match(text, new RegExp(`Already ended, and left out: “${LABEL}” \\(vtr_\\w{6}…\\)\\.`))
  assert.match(textOf((await browser.submit(REVOKE, rest)).text), /2 keys revoked\./)
  assert.equal((await browser.get(`${REVOKE}?key=${ids.join('&key=')}`)).headers.location, KEYS)
  assert.match(
    textOf((await browser.get(KEYS)).text),
    /The keys you selected have already ended, so nothing was changed\./,
  )
  assert.equal((await entriesOf(service)).length, 3)
})

test('neither keys of other workspaces nor members revoke anything', async (t) => {
  const { service, browser, ids } = await start(t)
  await createBareWorkspace(service, 'other')
  const theirs = (await service.keys.list('other'))[0]?.id ?? ''
  const { form } = await confirm(browser, ids)
  const reopened = await browser.post(REVOKE, [...form, ['key', theirs]])
  await confirm(browser, ids, reopened.headers.location)
  const member = await signedIn(service, 'member', 'sam@acme.example')
  assert.equal((await member.get(REVOKE)).status, 403)
  const csrf = fieldOf(await member.get(KEYS), 'csrf')
  assert.equal((await member.post(REVOKE, [...form.filter(([name]) => name !== 'csrf'), ['csrf', csrf]])).status, 403)
  assert.equal(await revokedAmong(service, ids), 0)
  assert.equal((await service.keys.list('other'))[0]?.revokedAt, null)
})
