import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { memberIdOf } from '../../src/members/records.ts'
import { changeRole } from '../support/changes.ts'
import { authorizePath } from '../support/consent.ts'
import { freePort } from '../support/listen.ts'
import { startMailServer } from '../support/mail-server.ts'
import { Browser, fieldOf, KEYS, linkFor, OVERVIEW, openForm, signedIn } from '../support/person.ts'
import { type Service, startService } from '../support/service.ts'
import { waitUntil } from '../support/wait.ts'
import { createBareWorkspace } from '../support/workspaces.ts'

const MAIL = '/settings/sign-in/mail'
const MEMBERS = '/settings/workspaces/acme/members'
const SENT = '/settings/sign-in'
const ANA = 'ana@acme.example'

async function startWithMail(t: TestContext, env: Record<string, string> = {}) {
  const server = await startMailServer(t)
  const port = await freePort()
  const mailEnv = { SMTP_URL: server.url, MAIL_FROM: 'Vitrine <vitrine@example.com>' }
  const service = await startService(t, { port, env: { PUBLIC_URL: `http://127.0.0.1:${port}`, ...mailEnv, ...env } })
  await service.addMember(ANA)
  const untilReceived = (count: number) => waitUntil(async () => server.received.length >= count)
  return { service, server, untilReceived }
}

async function askForMail(browser: Browser, email: string, more: Record<string, string> = {}, headers = {}) {
  const csrf = fieldOf(await browser.get('/settings/sign-in'), 'csrf')
  return browser.post(MAIL, { csrf, email, ...more }, headers)
}

/** Long lines are broken by quoted-printable. */
const linkIn = (mail: { raw: string } | undefined): string =>
  /https?:\S*\/settings\/sign-in\/link\?token=[\w-]{43}/.exec(
    (mail?.raw ?? '').replace(/=\r\n/g, '').replace(/=3D/g, '='),
  )?.[0] ?? ''

const newest = async ({ newestEntries }: Service) => (await newestEntries())[0]

test('a member gets a link by mail, which signs in to all of their workspaces, in any browser, once', async (t) => {
  const { service, server, untilReceived } = await startWithMail(t)
  await createBareWorkspace(service, 'second')
  await service.addMember(ANA, 'owner', 'second')
  const asking = new Browser(service.url)
  assert.equal((await askForMail(asking, ' Ana@Acme.example ')).headers.location, SENT)
  assert.match((await asking.get(SENT)).text, /If ana@acme\.example belongs to a member, a link is on its way/)
  await untilReceived(1)
  assert.deepEqual(server.received[0]?.to, [ANA])
  const link = linkIn(server.received[0])
  const { pathname, search } = new URL(link)
  for (let i = 0; i < 3; i++) assert.equal((await new Browser(service.url).get(pathname + search)).status, 200)
  const other = new Browser(service.url)
  assert.equal((await other.follow(link)).status, 303)
  assert.equal((await other.get(KEYS)).status, 200)
  assert.equal((await other.get('/settings/workspaces/second/keys')).status, 200)
  assert.deepEqual((await newest(service))?.detail, { by: 'mail' })
  assert.equal((await new Browser(service.url).follow(link)).status, 410)
})

test('the response is the same for a member, a stranger, and a person who asks too often', async (t) => {
  const { service, server, untilReceived } = await startWithMail(t)
  const responses = []
  for (const email of [ANA, 'stranger@acme.example', ANA, ANA, ANA, ANA, ANA, ANA]) {
    const { status, headers, text } = await askForMail(new Browser(service.url), email)
    const { date: _, 'x-request-id': __, 'set-cookie': ___, ...same } = headers
    responses.push(JSON.stringify({ status, same, text }))
  }
  assert.equal(new Set(responses).size, 1, responses.join('\n'))
  await untilReceived(5)
  service.time.now += 15 * 60_000
  await askForMail(new Browser(service.url), ANA)
  await untilReceived(6)
  assert.equal(server.received.length, 6, 'five in a quarter of an hour')
  assert.ok(server.received.every(({ to }) => to.join() === ANA))
})

test('a stranger’s address does not open a writing transaction, and a client that disconnects still gets its mail', async (t) => {
  const { service, untilReceived } = await startWithMail(t)
  // Addresses are looked up one after the other, and only once the connection has closed.
  const { promise: isFree, resolve: free } = Promise.withResolvers<void>()
  const busy = service.operator.transaction(() => isFree)
  const writes = t.mock.method(service.operator, 'transaction').mock
  for (let i = 0; i < 5; i++) await askForMail(new Browser(service.url), `stranger${i}@acme.example`)
  await askForMail(new Browser(service.url), ANA, {}, { connection: 'close' })
  await new Browser(service.url).get('/settings/sign-in')
  free()
  await busy
  await untilReceived(1)
  assert.equal(writes.callCount(), 1)
})

test('the response neither waits for the mail server nor reveals that it fails', async (t) => {
  const { service, server, untilReceived } = await startWithMail(t)
  server.rejectWith = 451
  assert.equal((await askForMail(new Browser(service.url), ANA)).headers.location, SENT)
  await waitUntil(async () => service.logLines.some((line) => line.includes('rejected the mail with code 451')))
  assert.ok(!service.logLines.join('').includes(ANA))
  server.rejectWith = undefined
  await askForMail(new Browser(service.url), ANA)
  await untilReceived(1)
  assert.equal((await new Browser(service.url).follow(linkIn(server.received[0]))).status, 303)
})

test("mail is limited by network, and only our own page's form can request it", async (t) => {
  const { service } = await startWithMail(t)
  const browser = new Browser(service.url)
  const csrf = fieldOf(await browser.get('/settings/sign-in'), 'csrf')
  for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
    assert.equal((await browser.post(MAIL, { csrf, email: ANA }, headers)).status, 403)
  assert.equal((await new Browser(service.url).post(MAIL, { csrf, email: ANA })).status, 403)
  const invalid = await browser.post(MAIL, { csrf, email: 'ana' })
  assert.equal(invalid.status, 422)
  assert.match(invalid.text, /Type the email address/)
  assert.match(invalid.text, /name="email" type="email" value="ana"/, 'what was typed is kept')
  assert.equal((await browser.get(MAIL)).headers.location, '/settings/sign-in', 'the address of the response')
  for (let i = 0; i < 29; i++)
    assert.equal((await browser.post(MAIL, { csrf, email: `x${i}@acme.example` })).status, 303)
  assert.equal((await browser.post(MAIL, { csrf, email: ANA })).status, 429)
})

test('300 members of a workspace get a link in a quarter of an hour, without limiting other workspaces', async (t) => {
  const { service, server, untilReceived } = await startWithMail(t, { TRUST_PROXY: '1' })
  for (let i = 0; i < 61; i++) await service.addMember(`m${i}@acme.example`)
  const browser = new Browser(service.url)
  const csrf = fieldOf(await browser.get('/settings/sign-in'), 'csrf')
  for (let i = 0; i < 305; i++) {
    const from = { 'x-forwarded-for': `203.0.113.${i % 200}` }
    await browser.post(MAIL, { csrf, email: `m${i % 61}@acme.example` }, from)
    // At most 200 lookups wait; what comes on top is dropped.
    if (i % 100 === 99) await untilReceived(i)
  }
  await untilReceived(300)
  await createBareWorkspace(service, 'second')
  await service.addMember('zoe@second.example', 'owner', 'second')
  await service.addMember('zoe@second.example')
  await browser.post(MAIL, { csrf, email: 'zoe@second.example' })
  await untilReceived(301)
  assert.deepEqual(server.received[300]?.to, ['zoe@second.example'])
})

test('the consent that a client asked for survives signing in by mail, from whichever tab', async (t) => {
  const { service, server, untilReceived } = await startWithMail(t)
  const path = authorizePath()
  const browser = new Browser(service.url)
  const page = await browser.get(path)
  await browser.get(authorizePath({ state: 'other' }))
  const here = fieldOf(page, 'continue')
  assert.equal(here, path)
  const mistyped = await browser.post(MAIL, { csrf: fieldOf(page, 'csrf'), email: 'ana', continue: here })
  assert.deepEqual([mistyped.status, fieldOf(mistyped, 'continue')], [422, path])
  await browser.post(MAIL, { csrf: fieldOf(mistyped, 'csrf'), email: ANA, continue: here })
  await untilReceived(1)
  assert.equal((await browser.follow(linkIn(server.received[0]))).headers.location, path)
})

test('without a mail server there is no form, and no path', async (t) => {
  const service = await startService(t)
  const browser = new Browser(service.url)
  assert.doesNotMatch((await browser.get('/settings/sign-in')).text, /Mail me/)
  assert.equal((await browser.post(MAIL, { email: ANA })).status, 404)
})

async function invite(browser: Browser, email: string, by: string) {
  const fields = { ...(await openForm(browser, `${MEMBERS}/new`)), email, role: 'admin', by }
  return { response: await browser.post(MEMBERS, fields), again: () => browser.post(MEMBERS, fields) }
}

test('an invitation by mail is not shown to the inviter, and its session is the person’s own', async (t) => {
  const { service, server, untilReceived } = await startWithMail(t)
  await service.addMember('other@acme.example', 'owner')
  const owner = await signedIn(service)
  const { response, again } = await invite(owner, 'bo@acme.example', 'mail')
  assert.equal(response.headers.location, `${MEMBERS}/${memberIdOf({ email: 'bo@acme.example' })}`)
  await untilReceived(1)
  const link = linkIn(server.received[0])
  assert.match(server.received[0]?.raw ?? '', /owner@acme\.example has made you an admin/)
  const { pathname, search } = new URL(link)
  const shown = await owner.get(response.headers.location ?? '')
  assert.match(shown.text, /The mail server has accepted/)
  assert.ok(!(response.text + shown.text).includes(search.slice(7)))
  assert.deepEqual([(await newest(service))?.action, (await newest(service))?.detail.by], ['member.link_made', 'mail'])
  assert.match((await again()).text, /was already sent/)
  assert.equal(server.received.length, 1)
  service.time.now += 6 * 86_400_000
  await changeRole(service.operator, 'acme', { email: 'bo@acme.example', role: 'owner' }, 'test')
  const bo = new Browser(service.url)
  assert.equal((await bo.get(pathname + search)).status, 200)
  await bo.follow(link)
  assert.deepEqual((await newest(service))?.detail, { by: 'mail' })
  await changeRole(service.operator, 'acme', { email: 'owner@acme.example', role: 'member' }, 'test')
  assert.equal((await bo.get(KEYS)).status, 200, 'the inviter never had the link, so their role does not matter')
})

test('an invitation by mail opens only the inviting workspace for someone who has others', async (t) => {
  const { service, server, untilReceived } = await startWithMail(t)
  await createBareWorkspace(service, 'second')
  await service.addMember('bo@acme.example', 'owner', 'second')
  await invite(await signedIn(service), 'bo@acme.example', 'mail')
  await untilReceived(1)
  const link = linkIn(server.received[0])
  const text = (server.received[0]?.raw ?? '').replace(/=\r\n/g, '')
  assert.match(text, /sign in to this workspace as bo@acme\.example.*Do not forward this mail/s)
  const bo = new Browser(service.url)
  const { pathname, search } = new URL(link)
  assert.match((await bo.get(pathname + search)).text, /signs you in as <strong><bdi>bo@acme\.example/)
  assert.equal((await bo.follow(link)).headers.location, OVERVIEW)
  assert.equal((await bo.get(KEYS)).status, 200)
  assert.equal((await bo.get('/settings/workspaces/second/keys')).status, 404)
})

test('a mail that cannot be sent is reported, and can be sent again or replaced by a link', async (t) => {
  const { service, server, untilReceived } = await startWithMail(t)
  const owner = await signedIn(service)
  server.rejectWith = 550
  const { response } = await invite(owner, 'bo@acme.example', 'mail')
  assert.equal(response.status, 502)
  assert.match(
    response.text,
    /bo@acme\.example is a member, but got no link: the mail server rejected the mail with code 550/,
  )
  server.rejectWith = undefined
  const page = `${MEMBERS}/${memberIdOf({ email: 'bo@acme.example' })}`
  assert.ok(response.text.includes(`href="${page}"`))
  const csrf = fieldOf(await owner.get(page), 'csrf')
  assert.equal((await owner.post(`${page}/link`, { csrf, by: 'mail' })).headers.location, page)
  await untilReceived(1)
  const shown = await owner.post(`${page}/link`, { csrf, by: 'link' })
  assert.match(shown.text, /The previous link no longer works/)
  assert.equal((await new Browser(service.url).follow(linkIn(server.received[0]))).status, 410)
})

test('a workspace sends sixty invitations an hour, and one person gets five in a quarter', async (t) => {
  const { service, server } = await startWithMail(t)
  const owner = await signedIn(service)
  const page = `${MEMBERS}/${memberIdOf({ email: ANA })}`
  const csrf = fieldOf(await owner.get(page), 'csrf')
  const statuses = []
  for (let i = 0; i < 6; i++) statuses.push((await owner.post(`${page}/link`, { csrf, by: 'mail' })).status)
  assert.deepEqual(statuses, [303, 303, 303, 303, 303, 429])
  assert.equal((await new Browser(service.url).follow(linkIn(server.received[4]))).status, 303, 'the fifth still works')
  for (let i = 0; i < 55; i++)
    assert.equal((await invite(owner, `p${i}@x.example`, 'mail')).response.status, 303, `${i}`)
  const { response } = await invite(owner, 'last@x.example', 'mail')
  assert.match(response.text, /Too many mails were sent already/)
  assert.doesNotMatch((await owner.get(`${MEMBERS}?q=last`)).text, /last@x\.example/, 'nothing was changed')
  assert.equal(server.received.length, 60)
})

test('invitations do not use up the links that a person can ask for, in any of their workspaces', async (t) => {
  const { service, server, untilReceived } = await startWithMail(t)
  await createBareWorkspace(service, 'second')
  await service.addMember('bo@acme.example', 'owner', 'second')
  const owner = await signedIn(service)
  await invite(owner, 'bo@acme.example', 'mail')
  const page = `${MEMBERS}/${memberIdOf({ email: 'bo@acme.example' })}`
  const csrf = fieldOf(await owner.get(page), 'csrf')
  for (let i = 0; i < 5; i++) await owner.post(`${page}/link`, { csrf, by: 'mail' })
  assert.equal((await owner.post(`${page}/remove`, { csrf })).status, 303)
  assert.equal(server.received.length, 5)
  await askForMail(new Browser(service.url), 'bo@acme.example')
  await untilReceived(6)
  assert.equal((await new Browser(service.url).follow(linkIn(server.received[5]))).status, 303)
})

test('a used link that is opened while signed in leads to the settings', async (t) => {
  const { service } = await startWithMail(t)
  const browser = new Browser(service.url)
  const link = await linkFor(service, ANA)
  await browser.follow(link)
  const { pathname, search } = new URL(link)
  const dead = await browser.get(pathname + search)
  assert.equal(dead.status, 410)
  assert.match(dead.text, /You are signed in as ana@acme\.example.*href="\/settings">Go to the settings/s)
})
