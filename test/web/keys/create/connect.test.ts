import assert from 'node:assert/strict'
import { test } from 'node:test'
import { textOf } from '../../../support/key-forms.ts'
import { KEYS, signedIn, startSignedIn } from '../../../support/person.ts'

const primariesIn = (page: string) => page.match(/class="button primary"/g)?.length

test('while connecting is off, the page explains why, and offers keys', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const list = await browser.get(KEYS)
  assert.match(list.text, new RegExp(`<a class="button primary" href="${KEYS}/connect">`))
  const page = await browser.get(`${KEYS}/connect`)
  assert.equal(page.status, 200)
  assert.match(textOf(page.text), /An agent, by URL Not available: .* it needs a public URL with https/)
  assert.doesNotMatch(page.text, /mcp-url/)
  assert.ok(page.text.includes(`href="${KEYS}/new"`))
  assert.equal(primariesIn(page.text), 1)
  assert.equal((await (await signedIn(service, 'member')).get(`${KEYS}/connect`)).status, 403)
})
