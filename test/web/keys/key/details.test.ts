// On both engines: each engine counts in its own way.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldOf, KEYS, openEditForm, startSignedIn, textOf } from '../../../support/person.ts'
import { createBareWorkspace } from '../../../support/workspaces.ts'

const PAGES = [
  '',
  '/requests',
  '/requests.csv',
  '/history',
  '/agent',
  '/edit',
  '/pause',
  '/revoke',
  '/rotate',
  '/replace',
  '/cancel-rotation',
]

test("a key's page shows the outcome of its requests, who sent them, what is left of its quota and what it may read", async (t) => {
  const { service, browser } = await startSignedIn(t)
  const quota = { limit: 3, windowSeconds: 60 }
  const { token, id } = await service.createKey({ label: 'stock', permissions: ['tasks:read'], quota })
  const send = (path: string) =>
    fetch(service.url + path, { headers: { authorization: `Bearer ${token}`, 'user-agent': 'stock-agent/1.4' } })
  assert.match(textOf((await browser.get(`${KEYS}/${id}`)).text), /No requests yet/)
  for (const [path, status] of Object.entries({
    '/tasks': 200,
    '/workspace': 403,
    '/tasks?again': 200,
    '/tasks?more': 429,
  }))
    assert.equal((await send(path)).status, status, path)
  await service.untilRecorded({ requests: 4 })
  const { status, text } = await browser.get(`${KEYS}/${id}`)
  assert.equal(status, 200)
  const shown = textOf(text)
  assert.match(shown, /4 requests in the last 30 days: 2 served, 2 refused \(1 over its limit, 1 not permitted\)/)
  assert.match(shown, /15 Nov 2026 2 2 \(1 over its limit, 1 not permitted\) 14 Nov 2026 0 0/)
  assert.match(shown, /stock-agent\/1\.4 127\.0\.0\.1 2 just now just now/)
  assert.match(shown, /3 of 3 used now\. The count restarts in 60 seconds\. Until then, requests are refused\./)
  assert.match(shown, /List current tasks tasks:read .* Not permitted: read the workspace/)
  const history = await browser.get(`${KEYS}/${id}/history`)
  assert.match(textOf(history.text), /Created the key/)
  assert.ok(history.text.includes(`/settings/workspaces/acme/audit?key=${id}"`))
})

test("a key's page names the address of a request from outside its networks", async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { token, id } = await service.createKey({ label: 'office', networks: ['203.0.113.0/24'] })
  assert.equal((await fetch(`${service.url}/tasks`, { headers: { authorization: `Bearer ${token}` } })).status, 401)
  await service.untilRecorded({ requests: 1 })
  const shown = textOf((await browser.get(`${KEYS}/${id}`)).text)
  assert.match(shown, /Refused from another network\. The last such request came from .*127\.0\.0\.1/)
  assert.equal((await browser.get(`${KEYS.replace('/keys', '/requests')}?key=%00`)).status, 400)
})

test('a rotation links the two keys to each other', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { id } = await service.createKey({ label: 'sync' })
  const { key: successor } = await service.keys.rotate(id, 86_400_000)
  const old = await browser.get(`${KEYS}/${id}`)
  assert.match(textOf(old.text), /Being rotated\. It still works until 16 Nov 2026, 12:00\./)
  assert.ok(old.text.includes(`href="${KEYS}/${successor.id}"`))
  assert.ok(!old.text.includes(`href="${KEYS}/${id}/rotate"`), 'its successor works: it cannot be rotated again')
  const next = await browser.get(`${KEYS}/${successor.id}`)
  assert.match(textOf(next.text), /Replaces sync vtr_\w{6}… Rotating/)
  assert.ok(next.text.includes(`href="${KEYS}/${id}"`))
  await service.keys.revoke(successor.id)
  const stranded = await browser.get(`${KEYS}/${id}`)
  assert.match(textOf(stranded.text), /Its successor has ended: when this key stops, nothing takes over\./)
  for (const way of ['rotate', 'cancel-rotation']) assert.ok(stranded.text.includes(`href="${KEYS}/${id}/${way}"`), way)
})

test("another workspace's key is not found, nor is an invalid id", async (t) => {
  const { service, browser } = await startSignedIn(t)
  await createBareWorkspace(service, 'other')
  const [theirs] = await service.keys.list('other')
  const csrf = fieldOf(await browser.get(KEYS), 'csrf')
  for (const id of [theirs?.id ?? '', `key_${'0'.repeat(18)}`, 'nonsense']) {
    for (const page of PAGES) assert.equal((await browser.get(`${KEYS}/${id}${page}`)).status, 404, id + page)
    const fields = { csrf, overlap: '0', once: 'A'.repeat(43) }
    for (const action of ['edit', 'pause', 'resume', 'revoke', 'rotate', 'cancel-rotation'])
      assert.equal((await browser.post(`${KEYS}/${id}/${action}`, fields)).status, 404, id + action)
  }
  assert.equal((await service.keys.list('other'))[0]?.revokedAt, null)
})

test("an ended key's page shows that, offers no change, and none is possible", async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { id } = await service.createKey({ label: 'gone' })
  const form = await openEditForm(browser, id)
  await service.keys.revoke(id)
  const page = await browser.get(`${KEYS}/${id}`)
  assert.equal(page.status, 200)
  assert.match(textOf(page.text), /Revoked on 15 Nov 2026, 12:00\. It is refused, and can no longer be changed\./)
  assert.doesNotMatch(page.text, new RegExp(`${id}/(edit|pause|resume|rotate|revoke)"`))
  for (const path of ['/edit', '/pause']) {
    assert.equal((await browser.get(`${KEYS}/${id}${path}`)).headers.location, `${KEYS}/${id}`)
    assert.match((await browser.get(`${KEYS}/${id}`)).text, /has already ended/)
  }
  for (const path of ['/edit', '/pause', '/resume'])
    for (const label of ['alive', 'gone', ''])
      assert.match((await browser.submit(`${KEYS}/${id}${path}`, { ...form, label })).text, /has already ended/, label)
  assert.equal((await service.keys.list('acme')).find((each) => each.id === id)?.label, 'gone')
})
