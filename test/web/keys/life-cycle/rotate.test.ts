import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpResponse } from '../../../support/exchange.ts'
import {
  type Browser,
  createdKey,
  createKeyOnPage,
  fieldOf,
  KEYS,
  openForm,
  signedIn,
  startSignedIn,
  tokenIn,
} from '../../../support/person.ts'
import { getFrom } from '../../../support/replicas.ts'
import { startService } from '../../../support/service.ts'

const DAY_MS = 86_400_000

test('rotating shows the new key once, and the list shows that the old key is still in use', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { token: old } = await createKeyOnPage(browser)
  const id = (await createdKey(service))?.id ?? ''
  const form = { ...(await openForm(browser, `${KEYS}/${id}/rotate`)), overlap: '24h' }
  service.time.now += 60_000
  const response = await browser.post(`${KEYS}/${id}/rotate`, form)
  assert.equal(response.status, 200)
  const successor = /vtr_[0-9A-Za-z]{49}/.exec(response.text)?.[0] ?? ''
  assert.notEqual(successor, old)
  assert.doesNotMatch((await browser.get(KEYS)).text, /still being used/)
  service.time.now += 1000
  for (const token of [old, successor]) assert.equal((await getFrom(service, token)).status, 200)
  await service.untilRecorded({ requests: 2 })
  assert.match((await browser.get(`${KEYS}?show=attention`)).text, /The old key is still being used/)
  assert.equal((await browser.post(`${KEYS}/${id}/rotate`, form)).status, 409)
  service.time.now += DAY_MS
  assert.equal((await getFrom(service, old)).status, 401)
  assert.equal((await getFrom(service, successor)).status, 200)
  assert.equal((await service.keys.list('acme')).length, 3)
})

/** Rotates a key from a tab that was opened before. */
async function rotateFrom(browser: Browser, page: HttpResponse, id: string, overlap = '24h'): Promise<HttpResponse> {
  const form = { csrf: fieldOf(page, 'csrf'), once: fieldOf(page, 'once'), overlap }
  return browser.post(`${KEYS}/${id}/rotate`, form)
}

test('rotating a rotated key shows that it works, until when, what took over, and how to continue', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { id, token: old } = await service.createKey({ label: 'Sync', only: { tasks: { bookKey: ['linen'] } } })
  const tabs = [await browser.get(`${KEYS}/${id}/rotate`), await browser.get(`${KEYS}/${id}/rotate`)] as const
  assert.match(tabs[0].text, new RegExp(`crumbs"><a href="${KEYS}/${id}">`), 'it leads back to the key')
  const rotated = await rotateFrom(browser, tabs[0], id)
  const lost = tokenIn(rotated)
  const successor = (await service.keys.list('acme')).find(({ replaces }) => replaces === id)
  assert.match(rotated.text, /may use .*Only tasks with this book key: linen\./s, 'the new key keeps the limit')
  assert.match(rotated.text, new RegExp(`href="${KEYS}/${successor?.id}" data-key-is-safe`))
  for (const again of [() => rotateFrom(browser, tabs[1], id), () => browser.get(`${KEYS}/${id}/rotate`)]) {
    assert.equal((await again()).headers.location, `${KEYS}/${id}`)
    const response = await browser.get(`${KEYS}/${id}`)
    assert.match(response.text, /This key has already been rotated, so nothing was changed\./)
    assert.match(response.text, /It still works until <time [^>]+>16 Nov 2026, 12:00<\/time>\./)
    for (const path of [`${KEYS}/${id}/cancel-rotation`, `${KEYS}/${successor?.id}`])
      assert.ok(response.text.includes(`href="${path}"`), path)
  }
  for (const token of [old, lost]) assert.equal((await getFrom(service, token)).status, 200)
})

test('cancelling a rotation asks for confirmation; then the old key continues, and the new one is refused', async (t) => {
  const service = await startService(t)
  // The database uses its own clock to keep retired keys retired.
  service.time.now = Date.now()
  const browser = await signedIn(service)
  const { id, token: old } = await service.createKey({ label: 'Sync' })
  const successor = tokenIn(await rotateFrom(browser, await browser.get(`${KEYS}/${id}/rotate`), id, '1h'))
  const page = await browser.get(`${KEYS}/${id}/cancel-rotation`)
  assert.match(
    page.text,
    /It keeps working as before the rotation: it does not expire\. The new key .* is revoked\. It was never used/,
  )
  assert.equal((await getFrom(service, successor)).status, 200)
  for (let i = 0; i < 2; i++) {
    const response = await browser.post(`${KEYS}/${id}/cancel-rotation`, { csrf: fieldOf(page, 'csrf') })
    assert.equal(response.headers.location, `${KEYS}/${id}`)
  }
  assert.match((await browser.get(`${KEYS}/${id}`)).text, /this key continues to work as before/)
  service.time.now += DAY_MS
  assert.deepEqual([(await getFrom(service, old)).status, (await getFrom(service, successor)).status], [200, 401])
})

test("a leaked key's form warns about it, and suggests ending the old key immediately", async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { id, token } = await service.createKey({ label: 'Careless' })
  await getFrom(service, token)
  await service.untilRecorded({ requests: 1 })
  assert.match((await browser.get(`${KEYS}/${id}/rotate`)).text, /value="24h" checked/)
  await fetch(`${service.url}/tasks?key=${token}`)
  await service.untilRecorded({ leaks: 1 })
  const { text } = await browser.get(`${KEYS}/${id}/rotate`)
  assert.match(text, /This key may have leaked\. Seen in a URL on <time [^>]+>15 Nov 2026<\/time>/)
  assert.match(text, /value="0" checked/)
})

test('a form sent twice leads to the key that it created; a key that was never used is rotated immediately', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { token: lost, form } = await createKeyOnPage(browser, {
    label: 'Nobody has it',
    rateLimit: '7',
    rateWindow: '60',
  })
  const id = (await createdKey(service))?.id ?? ''
  const second = await browser.post(KEYS, form)
  assert.equal(second.status, 409)
  assert.match(second.text, new RegExp(`already sent.*“<bdi>Nobody has it</bdi>” \\(${lost.slice(0, 10)}…\\)`, 's'))
  assert.ok(second.text.includes(`href="${KEYS}/${id}"`))
  assert.equal(tokenIn(second), '')
  assert.ok((await browser.get(`${KEYS}/${id}`)).text.includes(`<a href="${KEYS}/${id}/rotate">Replace it</a>`))
  const page = await browser.get(`${KEYS}/${id}/rotate`)
  assert.match(page.text, /value="0" checked/)
  service.time.now += 1000
  const found = tokenIn(await rotateFrom(browser, page, id, '0'))
  assert.deepEqual([(await getFrom(service, lost)).status, (await getFrom(service, found)).status], [401, 200])
  const again = await rotateFrom(browser, page, id, '0')
  assert.equal(again.status, 409)
  assert.match(again.text, new RegExp(`already sent.*\\(${found.slice(0, 10)}…\\)`, 's'))
  assert.equal((await getFrom(service, found)).status, 200)
  const created = (await service.keys.list('acme')).filter(({ label }) => label === 'Nobody has it')
  assert.deepEqual(
    created.map(({ quota, revokedAt }) => [quota?.limit, revokedAt !== null]),
    [
      [7, true],
      [7, false],
    ],
  )
})
