import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { changeElsewhere } from '../support/database.ts'
import { startIdentityProvider } from '../support/identity-provider.ts'
import { Browser, KEYS, OVERVIEW } from '../support/person.ts'
import { startService } from '../support/service.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const SIGN_IN = '/settings/sign-in'
const START = '/settings/sign-in/oidc'
const CALLBACK = '/settings/sign-in/oidc/callback'
const PUBLIC_URL = 'http://vitrine.localhost:4000'

/** The service with a real provider, and `ines@acme.example` as an owner. */
async function withProvider(
  t: Parameters<typeof startService>[0],
  secret: Record<string, string> = { OIDC_CLIENT_SECRET: 'a-secret' },
) {
  const provider = await startIdentityProvider(t, PUBLIC_URL + CALLBACK)
  const env = { PUBLIC_URL, OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: 'vitrine', ...secret }
  const service = await startService(t, { env })
  await service.addMember('ines@acme.example', 'owner')
  const browser = new Browser(service.url)
  /** Goes to the provider, signs in there, and returns the path to which it redirects the browser. */
  const visit = async (account: string, from = browser) => {
    await from.get(SIGN_IN)
    const redirect = await from.get(START)
    assert.equal(redirect.status, 303, redirect.text)
    return provider.signIn(redirect.headers.location ?? '', account)
  }
  return { service, provider, browser, visit, env }
}

test('a member signs in with the company’s account, whatever the case of the address', async (t) => {
  const { browser, visit, service } = await withProvider(t)
  assert.match((await browser.get('/settings/sign-in')).text, /href="\/settings\/sign-in\/oidc"/)
  const response = await browser.get(await visit('Ines@Acme.example'))
  assert.equal(response.status, 303, response.text)
  assert.equal(response.headers.location, OVERVIEW)
  assert.match((await browser.get(KEYS)).text, /ines@acme\.example/)
  assert.deepEqual((await service.newestEntries())[0]?.detail, { by: 'oidc' })
})

test('a client secret that is rotated in its file is used by the next sign-in', async (t) => {
  const file = join(temporaryFolder(t), 'secret')
  writeFileSync(file, 'another-secret')
  const { browser, visit } = await withProvider(t, { OIDC_CLIENT_SECRET_FILE: file })
  const refused = await browser.get(await visit('ines@acme.example'))
  assert.match(refused.text, /refused to sign you in/)
  writeFileSync(file, 'a-secret\n')
  assert.equal((await browser.get(await visit('ines@acme.example'))).headers.location, OVERVIEW)
})

test('the authorization request carries PKCE, state and nonce, and asks for the email address only', async (t) => {
  const { browser, provider } = await withProvider(t)
  await browser.get(SIGN_IN)
  const first = new URL((await browser.get(START)).headers.location ?? '')
  const second = new URL((await browser.get(START)).headers.location ?? '')
  assert.equal(first.origin, new URL(provider.issuer).origin)
  assert.equal(first.searchParams.get('response_type'), 'code')
  assert.equal(first.searchParams.get('code_challenge_method'), 'S256')
  assert.equal(first.searchParams.get('scope'), 'openid email')
  assert.equal(first.searchParams.get('redirect_uri'), PUBLIC_URL + CALLBACK)
  for (const name of ['state', 'nonce', 'code_challenge']) {
    assert.ok((first.searchParams.get(name) ?? '').length >= 43, name)
    assert.notEqual(first.searchParams.get(name), second.searchParams.get(name))
  }
})

test('a stranger is not admitted, even if the provider knows them', async (t) => {
  const { browser, visit } = await withProvider(t)
  const response = await browser.get(await visit('stranger@acme.example'))
  assert.equal(response.status, 403)
  assert.match(response.text, /stranger@acme\.example is not a member/)
  assert.equal((await browser.get(KEYS)).status, 303)
})

for (const [account, whom] of [
  ['ines@acme.example'.replace('i', '\u0130'), 'ines@acme.example'],
  ['mi\u212Ae@acme.example', 'mike@acme.example'],
  ['\u017Fue@acme.example', 'sue@acme.example'],
  ['\uFF4Dike@acme.example', 'mike@acme.example'],
  ['mike@acme.example ', 'mike@acme.example'],
] as const)
  test(`${JSON.stringify(account)} is not admitted as ${whom}, and sees whom to ask`, async (t) => {
    const { browser, visit, service } = await withProvider(t)
    await service.addMember(whom, 'owner')
    const response = await browser.get(await visit(account))
    assert.equal(response.status, 403)
    assert.match(response.text, /plain ASCII letters\. Ask its admins to correct it/)
    assert.ok(!response.text.includes(whom), 'it does not tell who is a member')
    assert.equal((await browser.get(KEYS)).status, 303)
  })

for (const which of ['unverified', 'unsaid'] as const)
  test(`an email address that the provider has not verified is refused (${which})`, async (t) => {
    const { browser, visit, provider } = await withProvider(t)
    provider[which].add('ines@acme.example')
    const response = await browser.get(await visit('ines@acme.example'))
    assert.equal(response.status, 403)
    assert.match(response.text, /has not verified/)
  })

test('a callback works once, and only in the browser that started the sign-in', async (t) => {
  const { browser, visit, service } = await withProvider(t)
  const back = await visit('ines@acme.example')
  assert.equal((await new Browser(service.url).get(back)).status, 400)
  assert.equal((await browser.get(back)).status, 303)
  assert.equal((await browser.get(back)).status, 400)
})

test('a callback with another state, without a code, or from another sign-in is refused', async (t) => {
  const { browser, visit, service } = await withProvider(t)
  const wrongState = (await visit('ines@acme.example')).replace(/state=[^&]+/, 'state=other')
  assert.equal((await browser.get(wrongState)).status, 403)
  await visit('ines@acme.example')
  assert.equal((await browser.get(`${CALLBACK}?error=access_denied`)).status, 403)
  const other = new Browser(service.url)
  const theirs = await visit('ines@acme.example', other)
  await browser.get(START)
  assert.equal((await browser.get(theirs)).status, 403)
  assert.equal((await browser.get(KEYS)).status, 303)
})

test('a sign-in that took more than ten minutes must be started again', async (t) => {
  const { browser, visit, service } = await withProvider(t)
  const back = await visit('ines@acme.example')
  service.time.now += 600_000
  assert.equal((await browser.get(back)).status, 400)
})

test('an unreachable provider is reported to the person, and retried later', async (t) => {
  const { browser, provider } = await withProvider(t)
  await provider.stop()
  await browser.get(SIGN_IN)
  const response = await browser.get(START)
  assert.equal(response.status, 502)
  assert.match(response.text, /cannot be reached/)
  await provider.start()
  assert.equal((await browser.get(START)).status, 303)
})

test('without a provider its pages do not exist', async (t) => {
  const service = await startService(t)
  const browser = new Browser(service.url)
  assert.doesNotMatch((await browser.get('/settings/sign-in')).text, /oidc/)
  for (const path of [START, CALLBACK]) assert.equal((await browser.get(path)).status, 404)
})

test('requests from a foreign page are not counted as attempts, and start nothing at the provider', async (t) => {
  const { browser, visit, service } = await withProvider(t)
  // Without the cookies, which are SameSite: an image or a frame of another site.
  for (let i = 0; i < 40; i++) {
    const started = await new Browser(service.url).get(START)
    assert.equal(started.status, 200)
    assert.match(started.text, /Choose how to sign in\./)
    assert.equal((await new Browser(service.url).get(`${CALLBACK}?code=x&state=y`)).status, 400)
  }
  assert.equal((await browser.get(await visit('ines@acme.example'))).status, 303)
})

test('thirty people behind one address can sign in within ten minutes, and no more', async (t) => {
  const { browser, visit, service } = await withProvider(t)
  for (let i = 0; i < 30; i++) assert.equal((await browser.get(await visit('ines@acme.example'))).status, 303, `${i}`)
  assert.equal((await browser.get(START)).status, 429)
  service.time.now += 600_000
  assert.equal((await browser.get(START)).status, 303)
})

test('no secret of a sign-in is logged', async (t) => {
  const { browser, visit, service } = await withProvider(t)
  const back = await visit('ines@acme.example')
  await browser.get(back.replace(/state=[^&]+/, 'state=other'))
  const log = service.logLines.join('')
  const { searchParams } = new URL(back, service.url)
  assert.match(log, /request failed/)
  for (const secret of ['a-secret', searchParams.get('code') ?? '', searchParams.get('state') ?? ''])
    assert.ok(!log.includes(secret))
})

test('the number of sign-ins in progress is bounded', async (t) => {
  const { browser, service } = await withProvider(t)
  await changeElsewhere(
    service.databaseUrl,
    `
    INSERT INTO tickets (hash, kind, subject, detail, expires_at)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
    SELECT 'x' || i, 'oidc', '', '{}', '2026-11-15T12:05:00.000Z' FROM n`,
  )
  await browser.get(SIGN_IN)
  const response = await browser.get(START)
  assert.equal(response.status, 503)
  assert.equal(response.headers['retry-after'], '2')
  service.time.now += 300_000
  assert.equal((await browser.get(START)).status, 303, 'those who stayed away too long are forgotten')
})
