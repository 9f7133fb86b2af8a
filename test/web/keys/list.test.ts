import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorkspace } from '../../support/changes.ts'
import { encodings, leakOf } from '../../support/key-leaks.ts'
import { type Browser, createKeyOnPage, fieldOf, KEYS, signedIn, startSignedIn } from '../../support/person.ts'
import { getFrom } from '../../support/replicas.ts'
import { startService } from '../../support/service.ts'

const labelsIn = (text: string) =>
  [...text.matchAll(/<a class="label" id[^>]*><bdi>([^<]*)/g)].map(([, label]) => label).sort()

/** Sends the list's search form; returns the response, and the page that it leads to if that is the list. */
async function search(browser: Browser, q: string, more: Record<string, string> = {}) {
  const csrf = fieldOf(await browser.get(KEYS), 'csrf')
  const response = await browser.post(`${KEYS}/search`, { csrf, q, ...more })
  const location = response.headers.location ?? ''
  const page = location.startsWith(`${KEYS}/`) ? undefined : await browser.get(location)
  return { response, location, page, labels: labelsIn(page?.text ?? '') }
}

test('the list describes each key, and draws its use', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { token } = await createKeyOnPage(browser, { label: 'Nightly report' })
  for (let i = 0; i < 3; i++) await getFrom(service, token)
  await service.untilRecorded({ requests: 3 })
  const { text } = await browser.get(KEYS)
  assert.deepEqual(labelsIn(text), ['Nightly report', 'test'])
  assert.ok(text.includes(`${token.slice(0, 10)}…`))
  assert.match(text, /<title>3 requests in the last 14 days, most on 15 Nov 2026: 3<\/title>/)
})

test('the search finds labels, key prefixes and creators, ignoring case', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { token } = await createKeyOnPage(browser, { label: 'Nightly report' })
  const start = token.slice(0, 10)
  for (const q of [
    'NIGHT',
    ' report ',
    start,
    `${start}…`,
    `${start}...`,
    start.slice(4),
    `${start.slice(4)}…`,
    'OWNER@acme',
  ]) {
    const { response, labels } = await search(browser, q)
    assert.equal(response.status, 303)
    assert.deepEqual(labels, ['Nightly report'], q)
  }
  const none = await search(browser, 'no such thing')
  assert.match(none.page?.text ?? '', /No keys match “<bdi>no such thing<\/bdi>”/)
  assert.deepEqual((await search(browser, '')).labels, ['Nightly report', 'test'])
  const { location } = await search(browser, 'report', { show: 'live', page: '3' })
  assert.equal(location, `${KEYS}?q=report&show=live`)
  const label = 'Nightly-Report-Exporter-For-Finance-Team-Berlin-2026'
  await service.createKey({ label })
  assert.deepEqual((await search(browser, label)).labels, [label], 'as long as a secret')
})

test('a pasted key leads to its page, whatever the text around it', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { token, id } = await service.createKey()
  const texts = [token, ` ${token}\n`, `Authorization: Bearer ${token}`, `export KEY="${token}"`]
  for (const q of texts) assert.equal((await search(browser, q)).location, `${KEYS}/${id}`, q)
})

test('a key that does not belong to the workspace is reported as such, and stays out of addresses, pages and logs', async (t) => {
  const service = await startService(t)
  const { operator, keys, time } = service
  await createWorkspace(operator, { name: 'Other', slug: 'other' }, 'test', new Date(time.now).toISOString())
  const newKey = { label: 'theirs', permissions: ['tasks:read'], quota: null, expiresAt: null }
  const { token: theirs } = await keys.create('other', newKey)
  const { token, id } = await service.createKey({ label: 'ours' })
  const damaged = token.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x'))
  const browser = await signedIn(service)
  for (const [key, isOurs] of [
    [theirs, false],
    [token, true],
    [damaged, false],
  ] as const)
    for (const [how, encode] of Object.entries(encodings)) {
      const { location, page } = await search(browser, encode(key))
      if (location === `${KEYS}/${id}`) assert.ok(isOurs, how)
      else assert.match(page?.text ?? '', /No key in this workspace matches what you pasted/, how)
      assert.equal(leakOf(`${location} ${page?.text}`, key), undefined, how)
      // In an address all the same, as someone may type it there.
      const typed = await browser.get(`${KEYS}?q=${encodeURIComponent(encode(key))}`)
      assert.equal(leakOf(typed.text, key), undefined, how)
    }
  const log = service.logLines.join('')
  assert.match(log, /keys\/search/)
  for (const key of [theirs, token, damaged]) assert.equal(leakOf(log, key), undefined)
})
