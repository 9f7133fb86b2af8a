import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldOf, KEYS, startSignedIn, textOf } from '../../../support/person.ts'

test('a connection shows its client, is paused and disconnected, and is neither rotated nor replaced', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const newKey = {
    label: 'My assistant',
    permissions: ['tasks:read'],
    quota: null,
    expiresAt: '2027-02-13T12:00:00.000Z',
  }
  const client = { id: 'https://claude.ai/client.json', host: 'claude.ai' }
  const { key } = await service.keys.create('acme', newKey, client)
  const path = `${KEYS}/${key.id}`

  const page = await browser.get(path)
  assert.match(textOf(page.text), /Live Connected to claude\.ai/)
  assert.match(
    textOf(page.text),
    /About this connection Host claude\.ai Client https:\/\/claude\.ai\/client\.json Connected By test on 15 Nov 2026 Access ends 13 Feb 2027/,
  )
  assert.doesNotMatch(page.text, /\/rotate"|curl|vtr_/)
  assert.match(page.text, /Disconnect<\/a>/)

  const csrf = fieldOf(page, 'csrf')
  assert.equal((await browser.get(`${path}/rotate`)).headers.location, path)
  const refused = await browser.submit(`${path}/rotate`, { csrf, once: 'A'.repeat(43), overlap: '0' })
  assert.match(textOf(refused.text), /A connection is not rotated: its client renews its own tokens/)
  assert.match(textOf((await browser.get(`${path}/pause`)).text), /Requests of this client are refused immediately/)
  assert.equal((await browser.post(`${path}/pause`, { csrf })).status, 303)
  assert.equal((await browser.post(`${path}/resume`, { csrf })).status, 303)

  const confirm = textOf((await browser.get(`${path}/revoke`)).text)
  assert.match(confirm, /Disconnect “My assistant”\? .* My assistant will have to be connected again\./)
  const done = await browser.post(`${path}/revoke`, { csrf })
  const list = textOf((await browser.get(done.headers.location ?? '')).text)
  assert.match(list, /“My assistant” has been disconnected: it can no longer read this workspace\./)
})
