import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { exchange } from '../support/exchange.ts'
import { KEYS, openForm, startSignedIn } from '../support/person.ts'
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

test('settings pages, which can show a secret, are not compressed', async (t) => {
  const { browser } = await startSignedIn(t)
  const { csrf, once } = await openForm(browser, `${KEYS}/new`)
  const form = { csrf, once, label: 'x', permissions: 'tasks:read', expiry: '30' }
  const created = await browser.post(KEYS, form, GZIP)
  assert.match(created.text, /vtr_[0-9A-Za-z]{49}/)
  for (const page of [created, await browser.get(KEYS, GZIP)]) assert.equal(page.headers['content-encoding'], undefined)
})
