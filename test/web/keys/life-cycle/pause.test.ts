import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldOf, KEYS, startSignedIn, textOf } from '../../../support/person.ts'
import type { Service } from '../../../support/service.ts'

/** A response without the parts that always differ. */
async function responseTo(service: Service, token: string) {
  const response = await fetch(`${service.url}/tasks`, { headers: { authorization: `Bearer ${token}` } })
  const headers = [...response.headers].filter(([name]) => !['x-request-id', 'date'].includes(name))
  return { status: response.status, headers, body: await response.text() }
}

test('a paused key is refused like a revoked one from the next request on, and works again once it is resumed', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { token, id } = await service.createKey({ label: 'sync' })
  const revoked = await service.createKey()
  await service.keys.revoke(revoked.id)
  const confirm = await browser.get(`${KEYS}/${id}/pause`)
  assert.match(textOf(confirm.text), /refused immediately, with the same response as for a revoked key/)
  assert.equal((await responseTo(service, token)).status, 200, 'to look at the form pauses nothing')

  const csrf = fieldOf(confirm, 'csrf')
  const paused = await browser.post(`${KEYS}/${id}/pause`, { csrf })
  assert.deepEqual(await responseTo(service, token), await responseTo(service, revoked.token))
  assert.equal(paused.headers.location, `${KEYS}/${id}`)
  const page = await browser.get(paused.headers.location ?? '')
  assert.match(textOf(page.text), /Paused .* The key is paused: requests with it are now refused/)
  assert.equal((await browser.get(`${KEYS}/${id}/pause`)).headers.location, `${KEYS}/${id}`)

  const resumed = await browser.post(`${KEYS}/${id}/resume`, { csrf: fieldOf(page, 'csrf') })
  assert.equal((await responseTo(service, token)).status, 200)
  assert.match(textOf((await browser.get(resumed.headers.location ?? '')).text), /The key works again/)
  assert.doesNotMatch(textOf((await browser.get(paused.headers.location ?? '')).text), /The key is paused/)
})

test('sent twice, or from two tabs, a key is paused once, and each response confirms it', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { id } = await service.createKey()
  const csrf = fieldOf(await browser.get(`${KEYS}/${id}/pause`), 'csrf')
  for (const [action, done] of [
    ['pause', /The key is paused/],
    ['resume', /The key works again/],
  ] as const) {
    const responses = await Promise.all([1, 2, 3].map(() => browser.post(`${KEYS}/${id}/${action}`, { csrf })))
    for (const { status, headers } of responses) assert.deepEqual([status, headers.location], [303, `${KEYS}/${id}`])
    assert.match((await browser.get(`${KEYS}/${id}`)).text, done)
  }
  const history = textOf((await browser.get(`${KEYS}/${id}/history`)).text)
  assert.equal(history.match(/Paused the key/g)?.length, 1)
  assert.equal(history.match(/Resumed the key/g)?.length, 1)
})
