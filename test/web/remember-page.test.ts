import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { createMemberLink } from '../../src/members/sign-in-link.ts'
import { signInLinkUrl } from '../../src/web/paths.ts'
import { atTime } from '../support/at-time.ts'
import type { HttpResponse } from '../support/exchange.ts'
import { startIdentityProvider } from '../support/identity-provider.ts'
import {
  addOtherOwner,
  Browser,
  endSessions,
  fieldOf,
  KEYS,
  linkFor,
  OVERVIEW,
  signedIn,
  startSignedIn,
} from '../support/person.ts'
import { type Service, startService } from '../support/service.ts'
import { createBareWorkspace } from '../support/workspaces.ts'

const OWNER = 'owner@acme.example'
const PUBLIC_URL = 'http://vitrine.localhost:4000'
const CALLBACK = '/settings/sign-in/oidc/callback'

/** A way to sign in; returns the response that leads back into the settings. */
type Way = (service: Service, browser: Browser) => Promise<HttpResponse>

const byLink: Way = async (service, browser) => browser.follow(await linkFor(service, OWNER))

const byMemberLink: Way = async (service, browser) => {
  const { operator, workspaceId, url, time } = service
  await addOtherOwner(service)
  const { token } = await atTime(operator, () => time.now).transaction((tx) => {
    const author = { email: 'other@acme.example', role: 'owner' } as const
    return createMemberLink(tx, { workspaceId, slug: 'acme' }, { email: OWNER, role: 'owner' }, author)
  })
  return browser.follow(signInLinkUrl(url, token))
}

/** The service, and each way to sign in to it. */
async function start(t: TestContext) {
  const provider = await startIdentityProvider(t, PUBLIC_URL + CALLBACK)
  const env = { PUBLIC_URL, OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: 'vitrine', OIDC_CLIENT_SECRET: 'a-secret' }
  const service = await startService(t, { env })
  const byOidc: Way = async (_, browser) => {
    await browser.get('/settings/sign-in')
    const { headers } = await browser.get('/settings/sign-in/oidc')
    return browser.get(await provider.signIn(headers.location ?? '', OWNER))
  }
  return { service, ways: { byLink, byOidc, byMemberLink } }
}

/** Its forms come from the address that the service is configured with. */
class PublicBrowser extends Browser {
  override post(path: string, fields: Record<string, string> | [string, string][], headers = {}) {
    return super.post(path, fields, { origin: PUBLIC_URL, ...headers })
  }
}

async function signInPublicly(service: Service): Promise<Browser> {
  await service.addMember(OWNER, 'owner')
  const browser = new PublicBrowser(service.url)
  await browser.follow(await linkFor(service, OWNER))
  return browser
}

const filled: [string, string][] = [
  ['label', 'nightly “report” 🌙'],
  ['permissions', 'tasks:read'],
  ['expiry', 'custom'],
  ['expiryDate', '2027-01-31'],
  ['rateLimit', '120'],
  ['rateWindow', '30'],
]

test('a form sent after its session ended is restored after every way of signing in, and works', async (t) => {
  const { service, ways } = await start(t)
  const browser = await signInPublicly(service)
  for (const [name, way] of Object.entries(ways)) {
    const page = await browser.get(`${KEYS}/new`)
    const hidden: [string, string][] = ['csrf', 'once'].map((field) => [field, fieldOf(page, field)])
    await endSessions(service)
    const refused = await browser.post(KEYS, [...hidden, ...filled])
    assert.equal(refused.headers.location, '/settings/sign-in', name)
    assert.match((await browser.get(refused.headers.location ?? '')).text, /what you typed is kept/)
    // A link that no longer works takes nothing along.
    await browser.follow(`${service.url}/settings/sign-in/link?token=${'x'.repeat(43)}`)

    const back = await way(service, browser)
    assert.equal(back.headers.location, `${KEYS}/new`, name)
    const form = await browser.get(`${KEYS}/new`)
    assert.match(form.text, /What you typed is still here/)
    assert.match(form.text, /name="label"[^>]* value="nightly “report” 🌙"/u)
    assert.match(
      form.text,
      /value="custom" checked.*name="expiryDate"[^>]* value="2027-01-31".*name="rateLimit"[^>]* value="120"/s,
    )
    const fresh: [string, string][] = ['csrf', 'once'].map((field) => [field, fieldOf(form, field)])
    const created = await browser.post(KEYS, [...fresh, ...filled])
    assert.equal(created.status, 200)
    assert.match(created.text, /vtr_[0-9A-Za-z]{49}/)
    assert.equal(browser.cookies.has('vitrine_return'), false, 'it is shown once')
    assert.doesNotMatch((await browser.get(`${KEYS}/new`)).text, /🌙/u)
  }
  assert.equal((await service.keys.list('acme')).length, 1 + Object.keys(ways).length)
})

test('a page that was requested without a session is opened after signing in, with its query', async (t) => {
  const service = await startService(t)
  await signedIn(service)
  for (const path of [`${KEYS}/new`, '/settings/workspaces/acme/audit?kind=changes', `${KEYS}?q=a%2Fb+c`]) {
    const browser = new Browser(service.url)
    assert.equal((await browser.get(path)).headers.location, '/settings/sign-in')
    assert.equal((await byLink(service, browser)).headers.location, path)
    assert.equal(browser.cookies.has('vitrine_return'), false)
  }
})

test("an earlier session's form, still open in another tab, can be opened again with what was typed", async (t) => {
  const { service, browser } = await startSignedIn(t)
  const { id } = await service.createKey()
  const rotate = await browser.get(`${KEYS}/${id}/rotate`)
  await endSessions(service)
  await byLink(service, browser)
  const sent = { csrf: fieldOf(rotate, 'csrf'), once: fieldOf(rotate, 'once'), overlap: '7d' }
  const refused = await browser.post(`${KEYS}/${id}/rotate`, sent)
  assert.equal(refused.status, 403)
  assert.ok(refused.text.includes(`href="${KEYS}/${id}/rotate"`))
  assert.match((await browser.get(`${KEYS}/${id}/rotate`)).text, /value="7d" checked/)
  assert.equal((await service.keys.list('acme')).length, 2, 'nothing was rotated')
})

test('neither keys nor tokens are kept, and long forms are left out', async (t) => {
  const service = await startService(t)
  const kept = async (path: string, fields: Record<string, string>) => {
    const browser = new Browser(service.url)
    await browser.post(path, fields)
    const value = browser.cookies.get('vitrine_return')
    return value === undefined ? undefined : Buffer.from(value, 'base64url').toString()
  }
  const secret = `vtr_${'aB3'.repeat(16)}c`
  const form = { label: secret, csrf: 'c'.repeat(43), once: 'o'.repeat(43), expiry: '30' }
  const stored = (await kept(KEYS, form)) ?? ''
  assert.match(stored, /&expiry=30$/)
  for (const text of [secret, 'cccc', 'oooo', secret.slice(4)]) assert.ok(!stored.includes(text), text)
  assert.deepEqual(await kept(KEYS, { label: 'x'.repeat(3000) }), `${KEYS}/new\n`)
  assert.equal(await kept(KEYS, { label: 'x'.repeat(20_000) }), undefined)
  const foreign = new Browser(service.url)
  await foreign.post(KEYS, { label: 'evil' }, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })
  assert.equal(foreign.cookies.size, 0, 'a foreign page cannot fill in a form')
})

test('signing in leads only to a page of the person’s own workspace, whatever the cookie contains', async (t) => {
  const service = await startService(t)
  await signedIn(service)
  await createBareWorkspace(service, 'second')
  const to = (path: string) => Buffer.from(`${path}\n`).toString('base64url')
  const odd = [
    ...['', 'x', '%', 'A'.repeat(5000)],
    ...[
      ...['https://evil.example/', '//evil.example', '/\\evil.example', '\\\\evil.example', 'javascript:alert(1)'],
      ...['/settings/workspaces/second/keys', '/settings/workspaces/nowhere/keys', '/settings/workspaces//keys'],
      ...['/', '/tasks', '/settings', '/settings/sign-in', '/settings/sign-out', '/settings/assets/x'],
      ...[`${KEYS}\r\nSet-Cookie: a=b`, `${KEYS}/../../second/keys`, `${KEYS}@evil.example`, '{"path":"/"}'],
      ...['/api/workspaces/acme/keys/x/first-use', '/settings/workspaces/acme/audit.csv'],
    ].map(to),
  ]
  for (const value of odd) {
    // So many in ten minutes would be too many.
    service.time.now += 30_000
    const browser = new Browser(service.url)
    browser.cookies.set('vitrine_return', value)
    const response = await byLink(service, browser)
    assert.equal(response.status, 303)
    assert.equal(response.headers.location, OVERVIEW, Buffer.from(value, 'base64url').toString().slice(0, 100))
    assert.equal((await browser.get(`${KEYS}/new`)).status, 200)
    assert.equal(browser.cookies.has('vitrine_return'), false)
  }
})

test('a link that starts a sign-in cannot fill in a form', async (t) => {
  const { service } = await start(t)
  const browser = new Browser(service.url)
  await browser.get('/settings/sign-in')
  const here = `${KEYS}/new?x=`
  for (const [to, isRemembered] of [
    [here, true],
    [`${here}\nlabel=Chosen`, false],
  ] as const) {
    browser.cookies.delete('vitrine_return')
    await browser.get(`/settings/sign-in/oidc?${new URLSearchParams({ continue: to })}`)
    assert.equal(browser.cookies.has('vitrine_return'), isRemembered, to)
  }
})

test('/settings opens the last used workspace, if the person is still a member, and switching keeps the section', async (t) => {
  const service = await startService(t)
  await createBareWorkspace(service, 'second')
  await createBareWorkspace(service, 'third')
  const browser = await signedIn(service)
  await service.addMember(OWNER, 'owner', 'second')
  await service.addMember(OWNER, 'member', 'third')
  assert.equal((await browser.get('/settings')).headers.location, OVERVIEW)
  const audit = await browser.get('/settings/workspaces/second/audit')
  assert.match(audit.headers['set-cookie'] ?? '', /vitrine_workspace=second; .*HttpOnly.*Max-Age=31536000/)
  assert.match(audit.text, /href="\/settings\/workspaces\/acme\/audit"/)
  assert.match(audit.text, /href="\/settings\/workspaces\/third\/keys"/, 'no audit log for a member')
  assert.equal((await browser.get('/settings')).headers.location, '/settings/workspaces/second')
  assert.equal((await browser.get('/settings/workspaces/second/audit')).headers['set-cookie'], undefined)
})
