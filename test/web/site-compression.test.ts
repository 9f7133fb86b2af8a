import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { csrfTokenOf } from '../../src/web/form.ts'
import { exchange } from '../support/exchange.ts'
import { fieldOf, KEYS, linkFor, openForm, signedIn, startSignedIn } from '../support/person.ts'
import { startService } from '../support/service.ts'

const GZIP = { 'accept-encoding': 'gzip' }

test('public pages and assets are compressed for clients that accept it, and are the same bytes', async (t) => {
  const { url } = await startService(t, { env: { PUBLIC_URL: 'https://vitrine.example' } })
  const accept = 'text/html'
  const { text } = await exchange(url, '/settings/sign-in')
  const assets = [...text.matchAll(/(?:href|src)="([^"]+\.(?:css|js))"/g)].map(([, path]) => path ?? '')
  assert.equal(assets.length, 2)
  for (const path of ['/docs/rest', '/docs/rest.md', '/', '/llms.txt', '/problems', ...assets]) {
    const get = (headers: Record<string, string> = {}) => exchange(url, path, { headers: { accept, ...headers } })
    const plain = await get()
    assert.equal(plain.headers['content-encoding'], undefined, path)
    const zipped = await get(GZIP)
    assert.equal(zipped.headers['content-encoding'], 'gzip', path)
    assert.ok(zipped.body.length < plain.body.length / 1.5, path)
    assert.deepEqual(gunzipSync(zipped.body), plain.body, path)
    assert.deepEqual((await get({ 'accept-encoding': 'gzip;q=0, br' })).body, plain.body)
    for (const { headers } of [plain, zipped]) assert.match(headers.vary ?? '', /Accept-Encoding/, path)
    const head = await exchange(url, path, { method: 'HEAD', headers: { accept, ...GZIP } })
    assert.equal(head.headers['content-length'], String(zipped.body.length), path)

    const etags = [plain, zipped].map(({ headers }) => headers.etag ?? '')
    assert.equal(new Set(etags).size, 2, 'each coding has an entity tag of its own')
    const again = await get({ ...GZIP, 'if-none-match': etags[1] ?? '' })
    assert.deepEqual([again.status, again.headers.etag], [304, etags[1]])
    assert.equal((await get({ 'if-none-match': etags[1] ?? '' })).status, 200)
  }
})

test("a settings page is compressed for clients that accept it, and is the same except for its forms' token", async (t) => {
  const browser = await signedIn(await startService(t))
  const withoutToken = (text: string) => text.replaceAll(/name="csrf" value="[^"]+"/g, '')
  const plain = await browser.get(KEYS)
  assert.equal(plain.headers['content-encoding'], undefined)
  assert.equal(plain.headers.vary, 'Accept-Encoding')
  for (const coding of ['gzip', 'gzip, br', '*']) {
    const zipped = await browser.get(KEYS, { 'accept-encoding': coding })
    assert.equal(zipped.headers['content-encoding'], 'gzip')
    assert.equal(withoutToken(gunzipSync(zipped.body).toString()), withoutToken(plain.text))
  }
  assert.equal((await browser.get(KEYS, { 'accept-encoding': 'gzip;q=0' })).headers['content-encoding'], undefined)
})

test('a page that shows a secret is not compressed', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { csrf, once } = await openForm(browser, `${KEYS}/new`)
  const form = { csrf, once, label: 'x', permissions: 'tasks:read', expiry: '30' }
  const created = await browser.post(KEYS, form, GZIP)
  assert.match(created.text, /vtr_[0-9A-Za-z]{49}/)
  assert.equal(created.headers['content-encoding'], undefined)
  const members = '/settings/workspaces/acme/members'
  const invitation = await browser.get(`${members}/new`)
  const fields = { csrf, once: fieldOf(invitation, 'once'), email: 'ana@acme.example', role: 'member' }
  const invited = await browser.post(members, fields, GZIP)
  assert.match(invited.text, /sign-in\/link\?token=[\w-]{43}/)
  assert.equal(invited.headers['content-encoding'], undefined)
  const link = await linkFor(service, 'owner@acme.example')
  const confirm = await browser.get(link.slice(service.url.length), GZIP)
  assert.ok(confirm.text.includes(fieldOf(confirm, 'token')))
  assert.equal(confirm.headers['content-encoding'], undefined)
})

test("a form's token differs in each page, and all of them work; a changed one does not", async (t) => {
  const { browser } = await startSignedIn(t)
  const tokens = [await browser.get(KEYS), await browser.get(KEYS)].map((page) => fieldOf(page, 'csrf'))
  const [first = '', second = ''] = tokens
  assert.notEqual(first, second)
  for (let at = 0; at + 8 <= first.length; at++) assert.ok(!second.includes(first.slice(at, at + 8)))
  const form = { label: 'x', permissions: 'tasks:read', expiry: '30' }
  const send = async (csrf: string) => {
    const once = fieldOf(await browser.get(`${KEYS}/new`), 'once')
    return (await browser.post(KEYS, { ...form, csrf, once })).status
  }
  for (const csrf of tokens) assert.equal(await send(csrf), 200)
  for (const at of [0, 20, 50, 80]) {
    const changed = first.slice(0, at) + (first[at] === 'A' ? 'B' : 'A') + first.slice(at + 1)
    assert.equal(await send(changed), 403, `changed at ${at}`)
  }
  assert.equal(await send(first.slice(0, 43)), 403)
  assert.equal(await send(first.slice(43)), 403)
  const session = browser.cookies.get('vitrine_session') ?? ''
  assert.equal(await send(csrfTokenOf(session)), 403, 'without a mask')
})
