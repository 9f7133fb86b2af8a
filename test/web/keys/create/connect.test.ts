import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KEYS, signedIn, startSignedIn } from '../../../support/person.ts'

test('while connecting is off, the page offers keys only', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const page = await browser.get(`${KEYS}/connect`)
  assert.doesNotMatch(page.text, /mcp-url/)
  assert.ok(page.text.includes(`href="${KEYS}/new"`))
  assert.equal((await (await signedIn(service, 'member')).get(`${KEYS}/connect`)).status, 403)
})
