import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR_MS } from '../../src/lib/duration.ts'
import { assertProblem } from '../support/assertions.ts'
import { exchange } from '../support/exchange.ts'
import { createKeyOnPage, fieldOf, KEYS, openForm, signedIn, startSignedIn } from '../support/person.ts'
import { startService } from '../support/service.ts'

const keyIdOf = (text: string) => /key_[0-9a-f]{18}/.exec(text)?.[0] ?? ''

test('an API key opens nothing under /settings or /api', async (t) => {
  const service = await startService(t)
  const { id } = await service.createKey()
  const headers = { authorization: `Bearer ${service.key}` }
  for (const path of [KEYS, `${KEYS}/new`, `${KEYS}/${id}/revoke`, '/settings/workspaces/acme/audit.csv']) {
    const response = await exchange(service.url, path, { headers })
    assert.equal(response.status, 303, path)
    assert.equal(response.headers.location, '/settings/sign-in')
  }
  for (const path of [`/api/workspaces/acme/keys/${id}/first-use`, '/api/workspaces/acme/keys', '/api/session'])
    assertProblem(await exchange(service.url, path, { headers }), 404, 'not_found')
})

test('a session opens no operation of the API', async (t) => {
  const { browser } = await startSignedIn(t)
  for (const path of ['/workspace', '/tasks']) assertProblem(await browser.get(path), 401, 'unauthorized')
})

test('the private JSON is served only to a session of the workspace', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { response } = await createKeyOnPage(browser)
  const path = `/api/workspaces/acme/keys/${keyIdOf(response.text)}/first-use`
  const found = await browser.get(path)
  assert.deepEqual(found.json, { outcome: null })
  assert.equal(found.headers['cache-control'], 'no-store')
  assertProblem(await exchange(service.url, path), 404, 'not_found')
  assertProblem(await browser.post(path, {}), 404, 'not_found')
  assertProblem(await browser.get('/api/workspaces/acme/keys/key_nothing/first-use'), 404, 'not_found')
  assertProblem(await (await signedIn(service, 'member')).get(path), 404, 'not_found')
  // A session ends after twelve hours without a page, however often its script asks.
  for (let hour = 1; hour <= 12; hour++) {
    service.time.now += HOUR_MS
    assert.equal((await browser.get(path)).status, hour < 12 ? 200 : 404, `after ${hour} hours`)
  }
})

const UNKNOWN = [
  '/settings/nothing',
  '/settings/workspaces',
  '/settings/constructor',
  '/settings/assets/x/settings.css',
]

test('unknown paths under /settings are 404 problems to programs, signed in or not', async (t) => {
  const { service, browser } = await startSignedIn(t)
  for (const path of UNKNOWN)
    for (const response of [await browser.get(path), await exchange(service.url, path)])
      assertProblem(response, 404, 'not_found')
})

test('unknown paths under /settings are pages to people, which lead back to the settings', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
  for (const path of [...UNKNOWN, '/settings/workspaces/acme/nothing', '/settings/workspaces/nobodys/nothing']) {
    const stranger = await exchange(service.url, path, { headers: { accept } })
    const member = await browser.get(path, { accept })
    for (const { status, text, headers } of [stranger, member]) {
      assert.equal(status, 404, path)
      assert.equal(headers['content-type'], 'text/html; charset=utf-8')
      assert.match(headers['content-security-policy'] ?? '', /default-src 'none'/)
      assert.match(text, /<h1>Page not found<\/h1>/)
    }
    assert.doesNotMatch(stranger.text, /Acme/)
    if (!path.includes('assets')) assert.match(member.text, /Overview.*Go to the API keys/s, path)
  }
  for (const id of ['nope', `key_${'0'.repeat(18)}`])
    assert.match((await browser.get(`${KEYS}/${id}`)).text, /Overview.*Page not found.*Go to the API keys/s, id)
})

test('every page refuses frames, inline script and caches', async (t) => {
  const { browser } = await startSignedIn(t)
  const pages = [
    '/settings',
    '/settings/sign-in',
    KEYS,
    `${KEYS}/new`,
    `${KEYS}/key_nothing/revoke`,
    '/settings/workspaces/acme/audit',
    '/settings/workspaces/acme/audit.csv',
  ]
  for (const path of pages) {
    const { headers, text } = await browser.get(path)
    const policy = headers['content-security-policy'] ?? ''
    assert.match(policy, /default-src 'none'/, path)
    assert.match(policy, /frame-ancestors 'none'/, path)
    assert.match(policy, /form-action 'self'/, path)
    assert.doesNotMatch(policy, /unsafe/, path)
    assert.equal(headers['x-frame-options'], 'DENY', path)
    assert.equal(headers['cache-control'], 'no-store', path)
    assert.equal(headers['x-content-type-options'], 'nosniff', path)
    assert.equal(headers['referrer-policy'], 'same-origin', path)
    assert.equal(headers['access-control-allow-origin'], undefined, path)
    assert.doesNotMatch(text, /<script(?![^>]* src=)|<style|\son\w+=|\sstyle=/, path)
  }
})

test("a form that was not sent from this session's own page is refused, and does nothing", async (t) => {
  const { service, browser } = await startSignedIn(t)
  const form = { ...(await openForm(browser, `${KEYS}/new`)), label: 'x', permissions: 'tasks:read', expiry: '30' }
  const other = await signedIn(service, 'admin')
  const attempts: [Record<string, string>, Record<string, string>][] = [
    [form, { origin: 'https://evil.example' }],
    [form, { origin: 'null' }],
    [form, { 'sec-fetch-site': 'cross-site' }],
    [form, { 'sec-fetch-site': 'same-site' }],
    [{ ...form, csrf: '' }, {}],
    [Object.fromEntries(Object.entries(form).filter(([name]) => name !== 'csrf')), {}],
    [{ ...form, csrf: `${form.csrf}x` }, {}],
    [{ ...form, csrf: fieldOf(await other.get(KEYS), 'csrf') }, {}],
  ]
  for (const [fields, headers] of attempts) {
    const response = await browser.post(KEYS, fields, headers)
    assert.equal(response.status, 403, JSON.stringify(headers))
    assert.doesNotMatch(response.text, /vtr_/)
  }
  const cookie = browser.cookieHeader
  const bare = { cookie, 'content-type': 'application/x-www-form-urlencoded' }
  const sent = { method: 'POST', headers: bare, body: new URLSearchParams(form).toString() }
  assert.equal((await exchange(service.url, KEYS, sent)).status, 403, 'neither Origin nor Sec-Fetch-Site')
  assert.equal((await service.keys.list('acme')).length, 1)
  assert.equal((await browser.post(KEYS, form)).status, 200)
})

test("no form is accepted without its session's token, whatever it is for", async (t) => {
  const service = await startService(t)
  const { id } = await service.createKey()
  const browser = await signedIn(service)
  const ofKey = ['edit', 'pause', 'resume', 'rotate', 'cancel-rotation', 'revoke']
  const paths = [
    ...ofKey.map((verb) => `keys/${id}/${verb}`),
    ...['keys', 'keys/search', 'workspace', 'workspace/archive', 'workspace/restore', 'audit', 'sign-ins'],
    ...['members', 'members/x/role', 'members/x/link', 'members/x/remove'],
  ]
  for (const path of paths) {
    const response = await browser.post(KEYS.replace('keys', path), { q: 'x', role: 'admin', overlap: '0' })
    assert.equal(response.status, 403, path)
    assert.match(response.text, /This form is out of date/, path)
  }
})

test('a body that is not a form, or too large, is refused', async (t) => {
  const { browser } = await startSignedIn(t)
  assert.equal((await browser.post(KEYS, {}, { 'content-type': 'text/plain' })).status, 400)
  assert.equal((await browser.post(KEYS, { label: 'x'.repeat(20_000) })).status, 413)
})
