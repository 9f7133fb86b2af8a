// Run once: the page is written from the settings.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPage } from '../../../../src/web/keys/create/connect.ts'
import { textOf } from '../../../support/key-forms.ts'
import { KEYS, signedIn, startSignedIn } from '../../../support/person.ts'
import { frame } from '../../../support/sample-models.ts'

const primariesIn = (page: string) => page.match(/class="button primary"/g)?.length

test('the page offers three ways, and steps for each agent that works without a script', () => {
  const page = connectPage(frame, 'https://vitrine.example/v2/mcp')
  assert.match(page, /<code id="mcp-url"[^>]*>https:\/\/vitrine\.example\/v2\/mcp<\/code>/)
  assert.match(
    textOf(page),
    /An agent, by URL .* ChatGPT .* Claude .* Cursor .* VS Code .* An agent, by key .* A script /,
  )
  assert.equal(page.match(/<ol class="numbered">/g)?.length, 4)
  assert.equal(page.match(/<details class="snippet"[^>]* open>/g)?.length, 4, 'open until the script makes them tabs')
  assert.equal(primariesIn(page), 1)
})

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
