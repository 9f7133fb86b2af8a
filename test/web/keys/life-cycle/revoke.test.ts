import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createdKey, createKeyOnPage, fieldOf, KEYS, startSignedIn } from '../../../support/person.ts'
import { getFrom } from '../../../support/replicas.ts'

test('revoking asks for confirmation, names the key and its last use, and is seen by the next request', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { token } = await createKeyOnPage(browser)
  await getFrom(service, token)
  const id = (await createdKey(service))?.id ?? ''
  const page = await browser.get(`${KEYS}/${id}/revoke`)
  assert.match(page.text, /nightly report/)
  assert.equal((await getFrom(service, token)).status, 200)
  const response = await browser.post(`${KEYS}/${id}/revoke`, { csrf: fieldOf(page, 'csrf') })
  assert.equal(response.headers.location, KEYS)
  assert.equal((await getFrom(service, token)).status, 401)
  assert.match((await browser.get(response.headers.location ?? '')).text, /“nightly report” has been revoked/)
  for (const again of [
    () => browser.post(`${KEYS}/${id}/revoke`, { csrf: fieldOf(page, 'csrf') }),
    () => browser.get(`${KEYS}/${id}/revoke`),
    () => browser.get(`${KEYS}/${id}/rotate`),
  ]) {
    assert.equal((await again()).headers.location, `${KEYS}/${id}`)
    const { text } = await browser.get(`${KEYS}/${id}`)
    assert.match(text, /This key has already ended, so nothing was changed\./)
    assert.match(text, /Revoked on <time [^>]+>15 Nov 2026, 12:00<\/time>\./)
  }
})
