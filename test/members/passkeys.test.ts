// On both engines: bytes are stored.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { memberIdOf } from '../../src/members/records.ts'
import { deleteWorkspace } from '../../src/provisioning/delete-workspace.ts'
import { changeRole, removeMember } from '../support/changes.ts'
import { changeElsewhere } from '../support/database.ts'
import { startMailServer } from '../support/mail-server.ts'
import { addOtherOwner, Browser, fieldOf, KEYS, linkFor, OVERVIEW, openForm, signedIn } from '../support/person.ts'
import { replicaOf } from '../support/replicas.ts'
import { type Service, startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'
import { createBareWorkspace } from '../support/workspaces.ts'
import { Authenticator } from './authenticator.ts'

const PUBLIC_URL = 'http://vitrine.localhost:4000'
const SIGN_INS = '/settings/workspaces/acme/sign-ins'
const PASSKEYS = `${SIGN_INS}/passkeys`
const SIGN_IN = '/settings/sign-in/passkey'
const OWNER = 'owner@acme.example'

const startWithPasskeys = (t: TestContext) => startService(t, { env: { PUBLIC_URL } })
const fromOurPage = { origin: PUBLIC_URL }

/** Adds a passkey as the script does; returns the last response. */
async function enrol(browser: Browser, authenticator: Authenticator, faults = {}, name = 'Laptop') {
  const csrf = fieldOf(await browser.get(SIGN_INS), 'csrf')
  const options = await optionsFrom(browser, PASSKEYS, csrf)
  const credential = authenticator.create(options, faults)
  return browser.post(PASSKEYS, { csrf, name, credential }, fromOurPage)
}

async function optionsFrom(browser: Browser, path: string, csrf: string) {
  const response = await browser.post(path, { csrf, name: 'Laptop' }, fromOurPage)
  assert.equal(response.status, 200, response.text)
  return (response.json as { options: { challenge: string; user: { id: string }; excludeCredentials: unknown[] } })
    .options
}

async function askToSignIn(browser: Browser) {
  const csrf = fieldOf(await browser.get('/settings/sign-in'), 'csrf')
  return { csrf, options: await optionsFrom(browser, SIGN_IN, csrf) }
}

/** Signs in as the script does; returns the last response. */
async function signInWith(browser: Browser, authenticator: Authenticator, faults = {}) {
  const { csrf, options } = await askToSignIn(browser)
  return browser.post(SIGN_IN, { csrf, credential: authenticator.get(options, faults) }, fromOurPage)
}

/** An owner with a passkey. */
async function withPasskey(t: TestContext) {
  const service = await startWithPasskeys(t)
  const owner = await signedInFrom(service)
  const authenticator = new Authenticator(PUBLIC_URL)
  assert.equal((await enrol(owner, authenticator)).headers.location, SIGN_INS)
  assert.match((await owner.get(SIGN_INS)).text, /The passkey “[^”]+” is added\. Next time, sign in with it\./)
  return { service, owner, authenticator }
}

/** The browser reports PUBLIC_URL as its origin, as behind a proxy. */
async function signedInFrom(service: Service, email = OWNER): Promise<Browser> {
  await service.addMember(email, 'owner')
  return followed(service, await linkFor(service, email))
}

async function followed(service: Service, link: string): Promise<Browser> {
  const browser = new Browser(service.url)
  const { pathname, search } = new URL(link)
  const page = await browser.get(pathname + search)
  const fields = { csrf: fieldOf(page, 'csrf'), token: fieldOf(page, 'token') }
  assert.equal((await browser.post(pathname, fields, fromOurPage)).status, 303)
  return browser
}

test('a passkey signs its person in, on every replica, and the audit log and the page show it', async (t) => {
  const { service, owner, authenticator } = await withPasskey(t)
  assert.deepEqual(
    (await service.newestEntries()).map(({ actor, action, detail }) => ({ actor, action, detail })),
    [{ actor: OWNER, action: 'member.passkey_added', detail: { name: 'Laptop' } }],
  )
  const replica = await replicaOf(t, service, { PUBLIC_URL })
  const browser = new Browser(service.url)
  const { csrf, options } = await askToSignIn(browser)
  const other = new Browser(replica.url, browser.cookies)
  const response = await other.post(SIGN_IN, { csrf, credential: authenticator.get(options) }, fromOurPage)
  assert.equal(response.headers.location, OVERVIEW)
  assert.equal((await other.get(KEYS)).status, 200)
  const [entry] = await service.newestEntries()
  assert.deepEqual([entry?.action, entry?.detail], ['session.started', { by: 'passkey', passkey: 'Laptop' }])
  const page = (await owner.get(SIGN_INS)).text
  assert.match(page, /data-name="Last used"><time [^>]*>just now/)
})

const OTHER_CHALLENGE = 'x'.repeat(43)
const badResponses = {
  'from another origin': { origin: 'https://evil.example' },
  'for another relying party': { rpId: 'evil.example' },
  'without user verification': { isVerified: false },
  'to another challenge': { challenge: OTHER_CHALLENGE },
  'of the other kind': { type: 'payment.get' },
}
for (const [what, faults] of Object.entries(badResponses))
  test(`a response ${what} neither adds a passkey nor signs in`, async (t) => {
    const { service, owner, authenticator } = await withPasskey(t)
    const refused = await enrol(owner, new Authenticator(PUBLIC_URL), faults)
    assert.equal(refused.status, 409)
    assert.match(refused.text, /The passkey was not added/)
    const browser = new Browser(service.url)
    assert.equal((await signInWith(browser, authenticator, faults)).status, 403)
    assert.equal((await browser.get(KEYS)).status, 303)
    assert.equal((await signInWith(browser, authenticator)).status, 303, 'a good one still works')
  })

test("another key's signature and another person's passkey sign no one in", async (t) => {
  const { service, owner, authenticator } = await withPasskey(t)
  const eve = await signedInFrom(service, 'eve@acme.example')
  const hers = new Authenticator(PUBLIC_URL)
  await enrol(eve, hers)
  const browser = new Browser(service.url)
  assert.equal((await signInWith(browser, hers, { id: authenticator.id })).status, 403)
  assert.equal((await signInWith(browser, hers, { userHandle: authenticator.userHandle })).status, 403)
  assert.equal((await signInWith(browser, new Authenticator(PUBLIC_URL))).status, 403)
  const taken = await enrol(owner, new Authenticator(PUBLIC_URL), { id: hers.id })
  assert.equal(taken.status, 409, 'nor can an id be taken over')
  await signInWith(browser, hers)
  assert.match((await browser.get(KEYS)).text, /eve@acme\.example/)
})

test('a challenge works once, in the browser that asked for it, for five minutes', async (t) => {
  const { service, authenticator } = await withPasskey(t)
  const browser = new Browser(service.url)
  const { csrf, options } = await askToSignIn(browser)
  const cookies = new Map(browser.cookies)
  const fields = { csrf, credential: authenticator.get(options) }
  const stolen = new Browser(service.url)
  const theirs = fieldOf(await stolen.get('/settings/sign-in'), 'csrf')
  assert.equal((await stolen.post(SIGN_IN, { ...fields, csrf: theirs }, fromOurPage)).status, 403)
  assert.equal((await browser.post(SIGN_IN, fields, fromOurPage)).status, 303)
  for (const [name, value] of cookies) browser.cookies.set(name, value)
  assert.equal((await browser.post(SIGN_IN, fields, fromOurPage)).status, 403, 'a replay')
  const late = await askToSignIn(browser)
  service.time.now += 300_000
  const tooLate = { csrf: late.csrf, credential: authenticator.get(late.options) }
  assert.equal((await browser.post(SIGN_IN, tooLate, fromOurPage)).status, 403)
})

test("one session's challenge adds no passkey in another, and one for signing in adds none", async (t) => {
  const { service, owner } = await withPasskey(t)
  const eve = await signedInFrom(service, 'eve@acme.example')
  const [mine, hers] = [fieldOf(await owner.get(SIGN_INS), 'csrf'), fieldOf(await eve.get(SIGN_INS), 'csrf')]
  const credential = new Authenticator(PUBLIC_URL).create(await optionsFrom(eve, PASSKEYS, hers))
  assert.equal((await owner.post(PASSKEYS, { csrf: mine, name: 'x', credential }, fromOurPage)).status, 409)
  const { options } = await askToSignIn(owner)
  const forSignIn = new Authenticator(PUBLIC_URL).create(options)
  assert.equal((await owner.post(PASSKEYS, { csrf: mine, name: 'x', credential: forSignIn }, fromOurPage)).status, 409)
})

test('a counter that does not rise is refused and audited, except one that stays at zero', async (t) => {
  const { service, authenticator } = await withPasskey(t)
  const browser = new Browser(service.url)
  assert.equal((await signInWith(browser, authenticator)).status, 303)
  assert.equal((await signInWith(browser, authenticator, { counter: 7 })).status, 303)
  for (const counter of [7, 3, 0]) {
    const copied = await signInWith(new Browser(service.url), authenticator, { counter })
    assert.equal(copied.status, 403)
    assert.match(copied.text, /may have been copied/)
    assert.equal((await service.newestEntries())[0]?.action, 'member.passkey_refused')
  }
  assert.equal((await signInWith(browser, authenticator, { counter: 8 })).status, 303)
})

test('one response sent many times at once, on two servers, signs in once', async (t) => {
  const { service, authenticator } = await withPasskey(t)
  const replica = await replicaOf(t, service, { PUBLIC_URL })
  const browser = new Browser(service.url)
  const { csrf, options } = await askToSignIn(browser)
  const fields = { csrf, credential: authenticator.get(options) }
  const responses = await Promise.all(
    Array.from({ length: 10 }, (_, i) => {
      const one = new Browser(i % 2 === 0 ? service.url : replica.url, browser.cookies)
      return one.post(SIGN_IN, fields, fromOurPage)
    }),
  )
  assert.deepEqual(responses.map(({ status }) => status).sort(), [303, ...Array(9).fill(403)])
})

test('a passkey ends with its removal or the last membership, and adding the person again revives none', async (t) => {
  const { service, owner, authenticator } = await withPasskey(t)
  await addOtherOwner(service)
  const browser = new Browser(service.url)
  const csrf = fieldOf(await owner.get(SIGN_INS), 'csrf')
  await owner.post(`${PASSKEYS}/remove`, { csrf, id: authenticator.id }, fromOurPage)
  assert.match((await owner.get(SIGN_INS)).text, /The passkey “[^”]+” is removed: it no longer signs you in\./)
  assert.equal((await service.newestEntries())[0]?.action, 'member.passkey_removed')
  assert.equal((await signInWith(browser, authenticator)).status, 403)
  const second = new Authenticator(PUBLIC_URL)
  await enrol(owner, second)
  await removeMember(service.operator, 'acme', OWNER, { email: 'other@acme.example', role: 'owner' })
  assert.equal((await signInWith(browser, second)).status, 403)
  await signedInFrom(service)
  assert.equal((await signInWith(browser, second)).status, 403)
})

test('a passkey signs in while one membership is left, and does not outlive a deleted workspace', async (t) => {
  const { service, owner, authenticator } = await withPasskey(t)
  await addOtherOwner(service)
  await createBareWorkspace(service, 'second')
  await service.addMember(OWNER, 'owner', 'second')
  const other = { email: 'other@acme.example', role: 'owner' } as const
  await removeMember(service.operator, 'acme', OWNER, other)
  const browser = new Browser(service.url)
  assert.equal((await signInWith(browser, authenticator)).headers.location, '/settings/workspaces/second')
  assert.equal((await owner.get(SIGN_INS)).status, 404)
  await deleteWorkspace(service.operator, [], 'second', 'test')
  assert.equal((await signInWith(new Browser(service.url), authenticator)).status, 403)
  await service.addMember(OWNER, 'owner')
  assert.equal((await signInWith(new Browser(service.url), authenticator)).status, 403)
})

test('an attestation with certificates is refused, even where its own signature is valid', async (t) => {
  const { owner } = await withPasskey(t)
  const certified = { format: 'packed', isSigned: true, hasCertificates: true }
  assert.equal((await enrol(owner, new Authenticator(PUBLIC_URL), certified)).status, 409)
  const own = { format: 'packed', isSigned: true }
  assert.equal((await enrol(owner, new Authenticator(PUBLIC_URL), own)).status, 303)
})

test('passkeys can be switched off: those that exist no longer sign in', async (t) => {
  const { service } = await withPasskey(t)
  const replica = await replicaOf(t, service, { PUBLIC_URL, PASSKEYS: 'off' })
  const page = await new Browser(replica.url).get('/settings/sign-in')
  assert.doesNotMatch(page.text, /passkey/i)
  assert.equal((await new Browser(replica.url).post(SIGN_IN, {}, fromOurPage)).status, 404)
})

test('a passkey of a member’s link opens only that workspace, and ends with the creator’s role', async (t) => {
  const { service, owner, authenticator } = await withPasskey(t)
  const eve = await signedInFrom(service, 'eve@acme.example')
  const csrf = fieldOf(await eve.get('/settings/workspaces/acme/members'), 'csrf')
  const path = `/settings/workspaces/acme/members/${memberIdOf({ email: OWNER })}/link`
  const shown = await eve.post(path, { csrf }, fromOurPage)
  const link = /https?:[^<"]*\/sign-in\/link\?token=[\w-]{43}/.exec(shown.text)?.[0] ?? ''
  await createBareWorkspace(service, 'globex')
  await service.addMember(OWNER, 'owner', 'globex')
  const limited = await followed(service, link)
  assert.doesNotMatch((await limited.get(SIGN_INS)).text, /Laptop/)
  const theirs = fieldOf(await limited.get(SIGN_INS), 'csrf')
  await limited.post(`${PASSKEYS}/remove`, { csrf: theirs, id: authenticator.id }, fromOurPage)
  assert.match((await owner.get(SIGN_INS)).text, /Laptop/)
  const phone = new Authenticator(PUBLIC_URL)
  assert.equal((await enrol(limited, phone, {}, 'Phone')).headers.location, SIGN_INS)
  const browser = new Browser(service.url)
  assert.equal((await signInWith(browser, phone)).status, 303)
  assert.equal((await browser.get(KEYS)).status, 200)
  assert.equal((await browser.get(KEYS.replace('acme', 'globex'))).status, 404)
  await changeRole(service.operator, 'acme', { email: 'eve@acme.example', role: 'member' }, 'test')
  assert.equal((await browser.get(KEYS)).status, 303)
  assert.equal((await signInWith(new Browser(service.url), phone)).status, 403)
  assert.doesNotMatch((await owner.get(SIGN_INS)).text, /<th scope="row"><bdi>Phone/)
  assert.equal((await signInWith(new Browser(service.url), authenticator)).status, 303)
})

test("no one can remove another person's passkey", async (t) => {
  const { service, authenticator } = await withPasskey(t)
  const eve = await signedInFrom(service, 'eve@acme.example')
  const csrf = fieldOf(await eve.get(SIGN_INS), 'csrf')
  const removed = await eve.post(`${PASSKEYS}/remove`, { csrf, id: authenticator.id }, fromOurPage)
  assert.equal(removed.headers.location, SIGN_INS)
  assert.equal((await signInWith(new Browser(service.url), authenticator)).status, 303)
})

test('a person has ten passkeys at most, and a name is on one line', async (t) => {
  const { owner } = await withPasskey(t)
  for (let i = 2; i <= 10; i++) await enrol(owner, new Authenticator(PUBLIC_URL), {}, `Key\n${i}`)
  const page = (await owner.get(SIGN_INS)).text
  assert.match(page, /<bdi>Key 10<\/bdi>/)
  assert.doesNotMatch(page, /data-passkey="create"/)
  const csrf = fieldOf(await owner.get(SIGN_INS), 'csrf')
  const credential = new Authenticator(PUBLIC_URL).create(await optionsFrom(owner, PASSKEYS, csrf))
  const refused = await owner.post(PASSKEYS, { csrf, name: 'x', credential }, fromOurPage)
  assert.equal(refused.status, 409)
  assert.match(refused.text, /You have 10 passkeys/)
})

test('anything that no browser sends is refused, however malformed, and does not flood the log', async (t) => {
  const { service, authenticator, owner } = await withPasskey(t)
  const { options } = await askToSignIn(new Browser(service.url))
  const good = JSON.parse(authenticator.get(options))
  const bad = [
    ...['', '{', 'null', '[]', '1', '{}', '{"id":1,"response":{"clientDataJSON":1}}', '['.repeat(5000)],
    ...[
      { ...good, id: 'x'.repeat(2000) },
      { ...good, id: [good.id] },
      { ...good, id: { length: 20 } },
      { ...good, rawId: 'other' },
    ],
    ...[{ ...good, response: { ...good.response, authenticatorData: '' } }],
    ...[{ ...good, response: { ...good.response, signature: null } }],
    ...[{ ...good, response: { clientDataJSON: Buffer.from('{"challenge":null}').toString('base64url') } }],
  ].map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
  const lines = service.logLines.length
  const browser = new Browser(service.url)
  const csrf = fieldOf(await browser.get('/settings/sign-in'), 'csrf')
  for (const credential of bad)
    assert.equal((await browser.post(SIGN_IN, { csrf, credential }, fromOurPage)).status, 403, credential.slice(0, 40))
  const huge = await browser.post(SIGN_IN, { csrf, credential: 'x'.repeat(20_000) }, fromOurPage)
  assert.equal(huge.status, 413)
  for (const format of ['apple', 'tpm', 'android-safetynet', 'packed'])
    assert.equal((await enrol(owner, new Authenticator(PUBLIC_URL), { format })).status, 409, format)
  assert.ok(!service.logLines.slice(lines).some((line) => line.includes('request failed')))
})

test('strangers cannot pile up challenges: they are limited by network and in total', async (t) => {
  const { service, owner, authenticator } = await withPasskey(t)
  const browser = new Browser(service.url)
  const csrf = fieldOf(await browser.get('/settings/sign-in'), 'csrf')
  const ask = () => browser.post(SIGN_IN, { csrf }, fromOurPage)
  for (let i = 0; i < 29; i++) assert.equal((await ask()).status, 200, `${i}`)
  assert.equal((await ask()).status, 429)
  const add = { csrf: fieldOf(await owner.get(SIGN_INS), 'csrf'), name: 'Laptop' }
  const notAdded = await owner.post(PASSKEYS, add, fromOurPage)
  assert.equal(notAdded.status, 429)
  assert.match(notAdded.text, /<h1[^>]*>Too many attempts</)
  service.time.now += 600_000
  await changeElsewhere(
    service.databaseUrl,
    `
    INSERT INTO tickets (hash, kind, subject, detail, expires_at)
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
    SELECT 'x' || i, 'passkey', '', '{}', '2026-11-15T12:15:00.000Z' FROM n`,
  )
  assert.equal((await ask()).status, 503)
  assert.equal(
    (await enrol(owner, new Authenticator(PUBLIC_URL))).status,
    303,
    'people who are signed in are not affected',
  )
  service.time.now += 300_000
  assert.equal((await signInWith(browser, authenticator)).status, 303, 'they end after five minutes')
})

for (const url of ['', 'http://127.0.0.1:4000', 'https://192.0.2.7', 'https://[2001:db8::1]', 'http://vitrine.example'])
  test(`passkeys are off where PUBLIC_URL is ${url || 'empty'}`, async (t) => {
    const service = await startService(t, { env: url === '' ? {} : { PUBLIC_URL: url } })
    const browser = await signedIn(service)
    const origin = url || service.url
    const isHttps = url.startsWith('https:')
    const page = (await browser.get(SIGN_INS)).text.replace(isHttps ? '' : 'Passkeys need a public https address.', '')
    assert.doesNotMatch(page, /passkey/i)
    assert.doesNotMatch((await new Browser(service.url).get('/settings/sign-in')).text, /passkey/i)
    const csrf = fieldOf(await browser.get(SIGN_INS), 'csrf')
    assert.ok([404, 303, 403].includes((await browser.post(PASSKEYS, { csrf }, { origin })).status))
    assert.equal((await new Browser(service.url).post(SIGN_IN, {}, { origin })).status, 404)
  })

test('after signing in by link, a person without a passkey is offered one; others continue', async (t) => {
  const { service, authenticator } = await withPasskey(t)
  await service.addMember('new@acme.example')
  const offer = `${SIGN_INS}?offer=passkey`
  const novice = await followed(service, await linkFor(service, 'new@acme.example'))
  assert.match((await novice.get(offer)).text, /Add a passkey now.*Not now/s)
  const owner = await followed(service, await linkFor(service, OWNER))
  assert.equal((await owner.get(offer)).headers.location, OVERVIEW)
  const browser = new Browser(service.url)
  assert.equal((await signInWith(browser, authenticator)).headers.location, OVERVIEW)
})

test('a person invited by mail can add a passkey with that session, and is notified by mail', async (t) => {
  const server = await startMailServer(t)
  const service = await startService(t, { env: { PUBLIC_URL, SMTP_URL: server.url, MAIL_FROM: 'v@example.com' } })
  const owner = await signedInFrom(service)
  const fields = {
    ...(await openForm(owner, '/settings/workspaces/acme/members/new')),
    email: 'bo@acme.example',
    role: 'admin',
  }
  await owner.post('/settings/workspaces/acme/members', fields, fromOurPage)
  const raw = (server.received[0]?.raw ?? '').replace(/=\r\n/g, '').replace(/=3D/g, '=')
  const bo = await followed(service, /http:\S+token=[\w-]{43}/.exec(raw)?.[0] ?? '')
  const authenticator = new Authenticator(PUBLIC_URL)
  assert.equal((await enrol(bo, authenticator)).status, 303)
  await waitUntil(() => server.received.length === 2)
  assert.match(server.received[1]?.raw ?? '', /^Subject: A passkey was added\r\n/m)
  assert.deepEqual(server.received[1]?.to, ['bo@acme.example'])
  assert.equal((await signInWith(new Browser(service.url), authenticator)).status, 303)
})
