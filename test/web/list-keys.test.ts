import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeyOnPage, KEYS, signedIn } from '../support/person.ts'
import { type Service, startService } from '../support/service.ts'

const read = (service: Service, token: string) =>
  fetch(`${service.url}/tasks`, { headers: { authorization: `Bearer ${token}` } })

test('the list shows what each key is, finds by label, and draws its use', async (t) => {
  const service = await startService(t)
  const browser = await signedIn(service)
  const { token } = await createKeyOnPage(browser, { label: 'Nightly report' })
  await createKeyOnPage(browser, { label: 'agent' })
  for (let i = 0; i < 3; i++) await read(service, token)
  const page = await browser.get(`${KEYS}?q=NIGHT`)
  assert.match(page.text, /Nightly report/)
  assert.doesNotMatch(page.text, /agent<\/bdi>/)
  assert.ok(page.text.includes(token.slice(0, 10)))
  const all = await browser.get(KEYS)
  for (const label of ['Nightly report', 'agent', 'test']) assert.ok(all.text.includes(label), label)
})
