// On both engines: links are used once, whoever is first.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Browser, fieldOf, KEYS, linkFor, OVERVIEW, startSignedIn } from '../support/person.ts'
import { replicaOf } from '../support/replicas.ts'
import { type Service, startService } from '../support/service.ts'

const MINUTE_MS = 60_000
const LINK = '/settings/sign-in/link'
const OWNER = 'owner@acme.example'

async function withOwner(t: Parameters<typeof startService>[0], env: Record<string, string> = {}): Promise<Service> {
  const service = await startService(t, { env })
  await service.addMember(OWNER, 'owner')
  return service
}

test('a link signs its member in and leads to the overview', async (t) => {
  const service = await withOwner(t)
  const browser = new Browser(service.url)
  const response = await browser.follow(await linkFor(service, OWNER))
  assert.equal(response.status, 303)
  assert.equal(response.headers.location, OVERVIEW)
  const page = await browser.get(KEYS)
  assert.equal(page.status, 200)
  assert.match(page.text, /owner@acme\.example/)
  const home = await browser.get('/settings')
  assert.equal(home.headers.location, OVERVIEW)
})

test('opening a link does not use it up, however often it is opened', async (t) => {
  const service = await withOwner(t)
  const link = new URL(await linkFor(service, OWNER))
  for (let i = 0; i < 3; i++) {
    const scanner = new Browser(service.url)
    const opened = await scanner.get(link.pathname + link.search)
    assert.equal(opened.status, 200)
    assert.equal((await scanner.get(KEYS)).headers.location, '/settings/sign-in')
  }
  assert.equal((await new Browser(service.url).follow(link.href)).status, 303)
})

test('if many use a link at once, on two servers, one is signed in', async (t) => {
  const service = await withOwner(t)
  const other = await replicaOf(t, service)
  const link = await linkFor(service, OWNER)
  const responses = await Promise.all(
    Array.from({ length: 12 }, (_, i) => new Browser(i % 2 === 0 ? service.url : other.url).follow(link)),
  )
  assert.equal(responses.filter(({ status }) => status === 303).length, 1)
  const late = responses.filter(({ status }) => status === 410)
  assert.equal(late.length, 11)
  assert.ok(late.every(({ headers }) => !/session=\w/.test(headers['set-cookie'] ?? '')))
})

test('a link that was changed or cut is refused', async (t) => {
  const service = await withOwner(t)
  const link = await linkFor(service, OWNER)
  assert.equal((await new Browser(service.url).follow(link.slice(0, -1))).status, 400)
  const changed = link.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
  assert.equal((await new Browser(service.url).follow(changed)).status, 410)
})

test('a link cannot be followed from a foreign page, nor without having been opened', async (t) => {
  const service = await withOwner(t)
  const link = new URL(await linkFor(service, OWNER))
  const browser = new Browser(service.url)
  const page = await browser.get(link.pathname + link.search)
  const form = { csrf: fieldOf(page, 'csrf'), token: fieldOf(page, 'token') }
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  assert.equal((await browser.post(link.pathname, form, foreign)).status, 403)
  assert.equal((await new Browser(service.url).post(link.pathname, form)).status, 403)
  assert.equal((await browser.post(link.pathname, form)).status, 303)
})

test('sign-in attempts are limited by address, and the limit ends', async (t) => {
  const service = await withOwner(t)
  const opened = new Browser(service.url)
  const { pathname, search } = new URL(await linkFor(service, OWNER))
  const csrf = fieldOf(await opened.get(pathname + search), 'csrf')
  const attempt = () => new Browser(service.url, opened.cookies).post(LINK, { csrf, token: 'x'.repeat(43) })
  for (let i = 0; i < 30; i++) assert.equal((await attempt()).status, 410)
  const refused = await attempt()
  assert.equal(refused.status, 429)
  assert.equal(refused.headers['retry-after'], '600')
  assert.match(refused.text, /Wait 10 minutes, then try again\./)
  const link = await linkFor(service, OWNER)
  assert.equal((await new Browser(service.url).follow(link)).status, 429)
  service.time.now += 9 * MINUTE_MS
  assert.match((await attempt()).text, /Wait 1 minute, then try again\./)
  service.time.now += MINUTE_MS
  assert.equal((await new Browser(service.url).follow(link)).status, 303)
})

test('a foreign page cannot use up the attempts of its visitors', async (t) => {
  const service = await withOwner(t)
  const link = await linkFor(service, OWNER)
  const form = { token: 'x'.repeat(43) }
  for (let i = 0; i < 40; i++) {
    const foreign = await new Browser(service.url).post(LINK, form, { origin: 'https://evil.example' })
    assert.equal(foreign.status, 403)
    assert.equal((await new Browser(service.url).post(LINK, form, { 'sec-fetch-site': 'cross-site' })).status, 403)
    assert.equal((await new Browser(service.url).post(LINK, { ...form, csrf: 'x'.repeat(43) })).status, 403)
  }
  assert.equal((await new Browser(service.url).follow(link)).status, 303)
})

test('the addresses of one IPv6 subscriber share the attempts', async (t) => {
  const service = await withOwner(t, { TRUST_PROXY: '1' })
  const opened = new Browser(service.url)
  const { pathname, search } = new URL(await linkFor(service, OWNER))
  const csrf = fieldOf(await opened.get(pathname + search), 'csrf')
  const attempt = (from: string) =>
    new Browser(service.url, opened.cookies).post(LINK, { csrf, token: 'x'.repeat(43) }, { 'x-forwarded-for': from })
  for (let i = 0; i < 30; i++) assert.equal((await attempt(`2001:db8:1:2::${i.toString(16)}`)).status, 410)
  assert.equal((await attempt('2001:db8:1:2:3::')).status, 429)
  assert.equal((await attempt('192.0.2.99')).status, 410, 'another address is another caller')
})

test('no log line contains a link or a session', async (t) => {
  const service = await withOwner(t)
  const link = await linkFor(service, OWNER)
  const browser = new Browser(service.url)
  await browser.follow(link)
  await browser.get(KEYS)
  const log = service.logLines.join('')
  assert.match(log, /\/settings\/sign-in\/link/)
  assert.ok(!log.includes(new URL(link).searchParams.get('token') ?? ''))
  const secret = browser.cookies.get('vitrine_session') ?? ''
  assert.match(secret, /^[\w-]{43}$/)
  assert.ok(!log.includes(secret))
})

test('the database stores only the hashes of links and sessions', async (t) => {
  const { service, browser } = await startSignedIn(t)
  const link = await linkFor(service, OWNER)
  const { connectElsewhere } = await import('../support/database.ts')
  const elsewhere = await connectElsewhere(service.databaseUrl, t)
  const stored = JSON.stringify([
    await elsewhere.all('SELECT * FROM sessions'),
    await elsewhere.all('SELECT * FROM tickets'),
    await elsewhere.all('SELECT * FROM audit'),
  ])
  assert.match(stored, /owner@acme\.example/)
  assert.ok(!stored.includes(new URL(link).searchParams.get('token') ?? ''))
  for (const value of browser.cookies.values()) assert.ok(!stored.includes(value))
})
