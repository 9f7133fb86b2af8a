// On both engines: sessions end in the database.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testOnce } from '../support/database.ts'
import { Browser, fieldOf, KEYS, linkFor, signedIn, startSignedIn } from '../support/person.ts'
import { startService } from '../support/service.ts'
import { createBareWorkspace } from '../support/workspaces.ts'

const HOUR_MS = 3_600_000

async function assertSignedOut(browser: Browser): Promise<void> {
  const response = await browser.get(KEYS)
  assert.equal(response.status, 303)
  assert.match(response.headers.location ?? '', /^\/settings\/sign-in$/)
}

test('a session ends after twelve hours without use', async (t) => {
  const { service, browser } = await startSignedIn(t)
  service.time.now += 12 * HOUR_MS - 1
  assert.equal((await browser.get(KEYS)).status, 200)
  service.time.now += 12 * HOUR_MS - 1
  assert.equal((await browser.get(KEYS)).status, 200)
  service.time.now += 12 * HOUR_MS
  const response = await browser.get(KEYS)
  assert.equal(response.headers.location, '/settings/sign-in')
  assert.equal(browser.cookies.has('vitrine_session'), false)
  assert.match((await browser.get(response.headers.location ?? '')).text, /You have been signed out/)
})

test('signing out ends the session itself, not only its cookie', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const kept = new Map(browser.cookies)
  const csrf = fieldOf(await browser.get(KEYS), 'csrf')
  const response = await browser.post('/settings/sign-out', { csrf })
  assert.equal(response.headers.location, '/settings/sign-in')
  assert.deepEqual([...browser.cookies.keys()], ['vitrine_workspace', 'vitrine_flash'])
  assert.match((await browser.get('/settings/sign-in')).text, /signed out/i)
  const thief = new Browser(service.url, kept)
  await assertSignedOut(thief)
})

testOnce('a cookie that is not a session signs no one in', async (t) => {
  const service = await startService(t)
  for (const value of ['x', 'A'.repeat(43), `${'A'.repeat(43)}%00`, '']) {
    const browser = new Browser(service.url)
    browser.cookies.set('vitrine_session', value)
    await assertSignedOut(browser)
  }
})

testOnce('over https, cookies are Secure and bound to this host', async (t) => {
  const service = await startService(t, { env: { PUBLIC_URL: 'https://vitrine.example' } })
  await service.addMember('owner@acme.example', 'owner')
  const browser = new Browser(service.url)
  const { pathname, search } = new URL(await linkFor(service, 'owner@acme.example'))
  const page = await browser.get(pathname + search)
  const form = { csrf: fieldOf(page, 'csrf'), token: fieldOf(page, 'token') }
  assert.equal((await browser.post(pathname, form)).status, 403, 'the origin is not that of PUBLIC_URL')
  const response = await browser.post(pathname, form, { origin: 'https://vitrine.example' })
  assert.match(
    response.headers['set-cookie'] ?? '',
    /^__Host-vitrine_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=604800/,
  )
})

testOnce('over http, cookies are neither Secure nor prefixed', async (t) => {
  const service = await startService(t)
  await service.addMember('owner@acme.example', 'owner')
  const response = await new Browser(service.url).follow(await linkFor(service, 'owner@acme.example'))
  assert.match(
    response.headers['set-cookie'] ?? '',
    /^vitrine_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age/,
  )
})

test('a member of several workspaces can open each of them, and no other', async (t) => {
  const service = await startService(t)
  await createBareWorkspace(service, 'second')
  await createBareWorkspace(service, 'third')
  await service.addMember('owner@acme.example', 'member', 'second')
  const browser = await signedIn(service)
  const page = await browser.get(KEYS)
  assert.match(page.text, /The second workspace/)
  assert.doesNotMatch(page.text, /The third workspace/)
  assert.match((await browser.get('/settings/workspaces/second/keys')).text, /The second workspace/)
  assert.equal((await browser.get('/settings/workspaces/third/keys')).status, 404)
  assert.equal((await browser.get('/settings/workspaces/nowhere/keys')).status, 404)
})
