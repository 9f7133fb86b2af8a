import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeyOnPage, fieldOf, KEYS, signedIn } from '../support/person.ts'
import { type Service, startService } from '../support/service.ts'

const DAY_MS = 86_400_000

const read = (service: Service, token: string) =>
  fetch(`${service.url}/tasks`, { headers: { authorization: `Bearer ${token}` } })

/** The key that the owner created on the page. */
const createdKey = async (service: Service) =>
  (await service.keys.list('acme')).find(({ createdBy }) => createdBy === 'owner@acme.example')

test('rotating shows the new key once, and the list says when the old key is still in use', async (t) => {
  const service = await startService(t)
  const browser = await signedIn(service)
  const { token: old } = await createKeyOnPage(browser)
  const id = (await createdKey(service))?.id ?? ''
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
  await service.untilRecorded({ uses: 2 })
  assert.match((await browser.get(KEYS)).text, /The old key is still being used/)
  assert.equal((await browser.post(`${KEYS}/${id}/rotate`, form)).status, 409)
  service.time.now += DAY_MS
  assert.equal((await read(service, old)).status, 401)
  assert.equal((await read(service, successor)).status, 200)
  assert.equal((await service.keys.list('acme')).length, 3)
})
