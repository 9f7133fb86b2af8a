import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HttpResponse } from '../../../support/exchange.ts'
import { type Browser, createKeyOnPage, fieldOf, KEYS, signedIn, tokenIn } from '../../../support/person.ts'
import { type Service, startService } from '../../../support/service.ts'

const statusFor = async (service: Service, token: string) =>
  (await fetch(`${service.url}/tasks`, { headers: { authorization: `Bearer ${token}` } })).status

/** Sends the form "Replace it" of a response. */
async function replaceOn(
  browser: Browser,
  page: HttpResponse,
): Promise<{ response: HttpResponse; again: () => Promise<HttpResponse> }> {
  const action = /action="([^"]+\/replace)"/.exec(page.text)?.[1] ?? ''
  assert.notEqual(action, '', 'the page offers to replace the key')
  const form = { csrf: fieldOf(page, 'csrf'), once: fieldOf(page, 'once') }
  return { response: await browser.post(action, form), again: () => browser.post(action, form) }
}

test('a form sent twice says so, names the key that it created, and replaces it in one step', async (t) => {
  const service = await startService(t)
  const browser = await signedIn(service)
  const chosen = {
    label: 'Nobody has it',
    expiry: 'custom',
    expiryDate: '2027-01-31',
    rateLimit: '7',
    rateWindow: '60',
  }
  const { token: lost, form } = await createKeyOnPage(browser, chosen)
  const second = await browser.post(KEYS, form)
  assert.equal(second.status, 409)
  assert.match(second.text, /<h1>Your key was created, but it cannot be shown again<\/h1>/)
  assert.match(second.text, /The form was sent twice/)
  assert.match(second.text, new RegExp(`“<bdi>Nobody has it</bdi>” \\(<code>${lost.slice(0, 10)}…`))
  assert.equal(tokenIn(second), '')

  service.time.now += 5 * 60_000
  const { response, again } = await replaceOn(browser, second)
  assert.equal(response.status, 200)
  const found = tokenIn(response)
  assert.deepEqual([await statusFor(service, lost), await statusFor(service, found)], [401, 200])
  assert.match(response.text, /until <time [^>]+>31 Jan 2027<\/time>/)
  const created = (await service.keys.list('acme')).filter(({ label }) => label === 'Nobody has it')
  assert.deepEqual(
    created.map(({ quota, expiresAt, revokedAt }) => ({ quota, expiresAt, ended: revokedAt !== null })),
    [true, false].map((ended) => ({
      quota: { limit: 7, windowSeconds: 60 },
      expiresAt: '2027-02-01T00:00:00.000Z',
      ended,
    })),
  )

  // Sent twice itself, it replaces nothing more.
  await service.untilRecorded({ uses: 1 })
  const late = await again()
  assert.equal(late.status, 409)
  assert.match(late.text, /It was used <time [^>]+>just now<\/time>, so someone copied it/)
  assert.equal(await statusFor(service, found), 200)
})

test('so does the form of a rotation that ends the old key at once', async (t) => {
  const service = await startService(t)
  const browser = await signedIn(service)
  const { id, token: old } = await service.createKey({ label: 'Turned' })
  const page = await browser.get(`${KEYS}/${id}/rotate`)
  const form = { csrf: fieldOf(page, 'csrf'), once: fieldOf(page, 'once'), overlap: '0' }
  const lost = tokenIn(await browser.post(`${KEYS}/${id}/rotate`, form))
  const second = await browser.post(`${KEYS}/${id}/rotate`, form)
  assert.equal(second.status, 409)
  const { response } = await replaceOn(browser, second)
  const statuses = [old, lost, tokenIn(response)].map((token) => statusFor(service, token))
  assert.deepEqual(await Promise.all(statuses), [401, 401, 200])
})

test('a key that was used is not replaced: somebody would be cut off', async (t) => {
  const service = await startService(t)
  const browser = await signedIn(service)
  const { id, token } = await service.createKey({ label: 'In use' })
  const page = await browser.get(`${KEYS}/${id}/replace`)
  assert.match(page.text, /Replace “<bdi>In use<\/bdi>”\?/)
  assert.equal(await statusFor(service, token), 200)
  await service.untilRecorded({ uses: 1 })
  for (const response of [(await replaceOn(browser, page)).response, await browser.get(`${KEYS}/${id}/replace`)]) {
    assert.equal(response.status, 409)
    assert.match(response.text, /This key has been used, so someone has it/)
    assert.match(response.text, new RegExp(`href="${KEYS}/${id}/rotate"`))
  }
  assert.equal(await statusFor(service, token), 200)
})
