import assert from 'node:assert/strict'
import { test } from 'node:test'
import { archiveWorkspace, changeRole } from '../../support/changes.ts'
import {
  authorizePath,
  CALLBACK,
  openConsent,
  redeem,
  registered,
  sentTo,
  startConnectable,
} from '../../support/consent.ts'
import { fillWithKeys } from '../../support/keys.ts'
import { addOtherOwner, Browser, fieldOf, signedIn, startSignedIn } from '../../support/person.ts'
import { createBareWorkspace } from '../../support/workspaces.ts'

const DAY_MS = 86_400_000

test('an owner connects a program, which redeems its code for a key with the granted permissions', async (t) => {
  const { service, browser } = await startSignedIn(t, startConnectable)
  const client = registered('Stock agent')
  const path = authorizePath({
    client_id: client.id,
    scope: 'tasks:read workspace:read',
    resource: `${service.url}/v2/mcp`,
  })
  const { page, checked, send } = await openConsent(browser, path, { rateLimit: '10', rateWindow: '30' })
  assert.equal(page.status, 200)
  assert.deepEqual(checked, ['workspace:read', 'tasks:read'])
  const response = await send()
  assert.equal(response.status, 303)
  const { code = '', ...rest } = sentTo(response.headers.location)
  assert.deepEqual(rest, { state: 's-1', iss: service.url })
  const { status, body } = await redeem(service, client.id, code)
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal((await service.get('/tasks', { authorization: `Bearer ${body.access_token}` })).status, 200)
  const key = (await service.keys.list('acme')).find(({ label }) => label === 'Stock agent')
  assert.deepEqual(key?.permissions, ['workspace:read', 'tasks:read'])
  assert.deepEqual(key?.client, { id: client.id, host: 'client.example' })
  assert.deepEqual(key?.quota, { limit: 10, windowSeconds: 30 })
  assert.equal(key?.expiresAt, new Date(service.time.now + 90 * DAY_MS).toISOString())
  assert.equal(key?.createdBy, 'owner@acme.example')
  assert.ok(!service.logLines.some((line) => line.includes(code) || line.includes('s-1')), 'neither is logged')
})

test('a program can be connected to some rows only, which are offered where there is one workspace', async (t) => {
  const { service, browser } = await startSignedIn(t, startConnectable)
  await service.addTasks([
    { id: 'l', bookKey: 'linen' },
    { id: 'w', bookKey: 'wool' },
  ])
  const client = registered('Stock agent')
  const { page, send } = await openConsent(browser, authorizePath({ client_id: client.id }), {
    only: 'tasks.bookKey=linen',
  })
  assert.match(page.text, /name="onlyValue" value="tasks\.bookKey=wool"/)
  const { code = '' } = sentTo((await send()).headers.location)
  const { body } = await redeem(service, client.id, code)
  const seen = await service.get('/tasks', { authorization: `Bearer ${body.access_token}` })
  assert.deepEqual(
    ((await seen.json()) as { tasks: { id: string }[] }).tasks.map(({ id }) => id),
    ['l'],
  )
  const [entry] = await service.newestEntries(1)
  assert.partialDeepStrictEqual(entry, { action: 'key.connected', detail: { only: 'tasks.bookKey=linen' } })
})

test('refusing sends access_denied, and creates nothing', async (t) => {
  const service = await startConnectable(t)
  const { send } = await openConsent(await signedIn(service), authorizePath(), { decision: 'refuse' })
  const { error_description, ...sent } = sentTo((await send()).headers.location)
  assert.deepEqual(sent, { error: 'access_denied', state: 's-1', iss: service.url })
  assert.match(error_description ?? '', /refused/)
  assert.equal((await service.keys.list('acme')).length, 1)
})

test('the form sends one code, however often it is submitted, and then explains what happened to the first', async (t) => {
  const { service, browser } = await startSignedIn(t, startConnectable)
  const path = authorizePath()
  const { send } = await openConsent(browser, path)
  const responses = await Promise.all([send(), send(), send()])
  assert.deepEqual(responses.map(({ status }) => status).sort(), [303, 409, 409])
  // Browsers ask for the page again when a person goes back.
  const again = await (await openConsent(browser, path)).send()
  assert.equal(again.status, 409)
  assert.equal(again.headers.location, undefined)
  assert.match(again.text, /already sent.* “<bdi>Stock agent<\/bdi>” was given a code/s)
  assert.match(again.text, /start connecting again from it/)
  const codes = await service.operator.read((tx) => tx.all(`SELECT hash FROM tickets WHERE kind = 'code'`))
  assert.equal(codes.length, 1)
})

test('only requested permissions are offered, checked or granted', async (t) => {
  const { service, browser } = await startSignedIn(t, startConnectable)
  const { page, fields, checked } = await openConsent(
    browser,
    authorizePath({ scope: 'openid tasks:read offline_access' }),
  )
  assert.deepEqual(checked, ['tasks:read'])
  assert.doesNotMatch(page.text, /value="workspace:read"/)
  const client = registered()
  const path = authorizePath({ client_id: client.id, scope: 'tasks:read' })
  const sent = await browser.post(path, [...fields, ['permissions', 'workspace:read'], ['permissions', 'made:up']])
  const { body } = await redeem(service, client.id, sentTo(sent.headers.location).code ?? '')
  assert.equal(body.scope, 'tasks:read')
  const none = await openConsent(browser, authorizePath())
  const refused = await browser.submit(
    authorizePath(),
    none.fields.filter(([name]) => name !== 'permissions'),
  )
  assert.match(refused.text, /Choose at least one/)
  const outside = await browser.submit(authorizePath({ scope: 'tasks:read' }), [
    ...none.fields.filter(([name]) => name !== 'permissions'),
    ['permissions', 'workspace:read'],
  ])
  assert.match(outside.text, /Choose at least one/, 'a permission that was not asked for counts as none')
})

test('without a scope, a program is offered what every new key has', async (t) => {
  const { browser } = await startSignedIn(t, startConnectable)
  for (const scope of [undefined, ''])
    assert.deepEqual((await openConsent(browser, authorizePath({ scope }))).checked, ['workspace:read', 'tasks:read'])
})

test('errors bring the form back as it was filled in', async (t) => {
  const { browser } = await startSignedIn(t, startConnectable)
  const path = authorizePath()
  const { fields } = await openConsent(browser, path, {
    expiry: 'custom',
    expiryDate: '2020-01-01',
    rateLimit: 'many',
  })
  const faulty = fields.filter(([, value]) => value !== 'workspace:read')
  const response = await browser.submit(path, faulty)
  assert.match(response.text, /Nothing was connected/)
  assert.match(response.text, /Choose today or a later date/)
  assert.match(response.text, /name="rateLimit"[^>]* value="many"/)
  assert.match(response.text, /value="tasks:read" checked/)
  assert.doesNotMatch(response.text, /value="workspace:read" checked/)
  assert.match(response.text, /value="custom" checked/)
  assert.equal(fieldOf(response, 'once'), new Map(fields).get('once'), 'it is still the same form')
})

test('a workspace must be chosen among those that the person manages', async (t) => {
  const { service, browser } = await startSignedIn(t, startConnectable)
  for (const [slug, role] of [
    ['second', 'admin'],
    ['third', 'member'],
    ['fourth', 'owner'],
  ] as const) {
    await createBareWorkspace(service, slug)
    await service.addMember('owner@acme.example', role, slug)
  }
  await archiveWorkspace(service.operator, 'fourth', 'test')
  const client = registered()
  const path = authorizePath({ client_id: client.id })
  const { page, fields } = await openConsent(browser, path, { workspace: '' })
  const options = [...page.text.matchAll(/<option value="([^"]*)"[^>]*>/g)].map(([, slug]) => slug)
  assert.deepEqual(options.sort(), ['', 'acme', 'second'])
  assert.doesNotMatch(page.text, / selected/)
  for (const workspace of ['', 'third', 'fourth', 'nowhere']) {
    const refused = await browser.submit(path, [
      ...fields.filter(([name]) => name !== 'workspace'),
      ['workspace', workspace],
    ])
    assert.match(refused.text, /Choose the workspace that it may read/, workspace)
  }
  const sent = await browser.post(path, [...fields.filter(([name]) => name !== 'workspace'), ['workspace', 'second']])
  const { status } = await redeem(service, client.id, sentTo(sent.headers.location).code ?? '')
  assert.equal(status, 200)
  assert.ok((await service.keys.list('second')).some(({ label }) => label === 'Stock agent'))
})

test('a member sees whom to ask, and can only return to the program', async (t) => {
  const service = await startConnectable(t)
  await addOtherOwner(service)
  const browser = await signedIn(service, 'member')
  const { page, fields } = await openConsent(browser, authorizePath())
  assert.equal(page.status, 403)
  assert.match(page.text, /You cannot connect programs/)
  assert.match(page.text, /mailto:other@acme\.example/)
  assert.doesNotMatch(page.text, /value="connect"/)
  const forced = await browser.submit(authorizePath(), [...fields, ['once', 'o'.repeat(43)], ['workspace', 'acme']])
  assert.equal(forced.status, 403)
  const back = await browser.post(authorizePath(), { csrf: fieldOf(page, 'csrf'), decision: 'refuse' })
  assert.equal(sentTo(back.headers.location).error, 'access_denied')
})

test('a person who lost the role after opening the form cannot submit it', async (t) => {
  const { service, browser } = await startSignedIn(t, startConnectable)
  await addOtherOwner(service)
  const path = authorizePath()
  const { send } = await openConsent(browser, path)
  const change = { email: 'owner@acme.example', role: 'member' } as const
  await changeRole(service.operator, 'acme', change, 'test')
  assert.equal((await send()).headers.location, path)
  assert.equal((await browser.get(path)).status, 403)
})

test('a form belongs to the session and the person that opened it', async (t) => {
  const { service, browser: owner } = await startSignedIn(t, startConnectable)
  const admin = await signedIn(service, 'admin')
  const { fields } = await openConsent(owner, authorizePath())
  const byOther = await admin.post(authorizePath(), fields)
  assert.equal(byOther.status, 403)
  assert.match(byOther.text, /out of date/)
  const own = await openConsent(admin, authorizePath())
  const csrf = new Map(own.fields).get('csrf') ?? ''
  assert.equal((await owner.post(authorizePath(), fields)).status, 303)
  const withTicket = await admin.post(authorizePath(), [['csrf', csrf], ...fields.filter(([name]) => name !== 'csrf')])
  assert.equal(withTicket.status, 400, 'a ticket that another person has used')
  const foreign = { origin: 'https://client.example', 'sec-fetch-site': 'cross-site' }
  assert.equal((await admin.post(authorizePath(), own.fields, foreign)).status, 403)
  assert.equal((await admin.post(authorizePath(), own.fields, { origin: 'null' })).status, 403)
})

test('the form can only be submitted for a valid request', async (t) => {
  const { browser } = await startSignedIn(t, startConnectable)
  const { fields } = await openConsent(browser, authorizePath())
  const elsewhere = await browser.post(authorizePath({ redirect_uri: 'https://evil.example/' }), fields)
  assert.equal(elsewhere.status, 400)
  assert.equal(elsewhere.headers.location, undefined)
  const weaker = await browser.post(authorizePath({ code_challenge_method: 'plain' }), fields)
  assert.deepEqual([weaker.status, weaker.headers.location], [400, undefined])
  assert.match(weaker.text, /code_challenge_method must be S256/)
})

test('the page cannot be framed or cached, sends no referrer, keeps a popup’s opener, and lets forms lead to the client', async (t) => {
  const { browser } = await startSignedIn(t, startConnectable)
  const formActionOf = async (uri: string) => {
    const path = authorizePath({ client_id: registered('x', uri).id, redirect_uri: uri })
    const { headers } = await browser.get(path)
    assert.equal(headers['x-frame-options'], 'DENY')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['referrer-policy'], 'same-origin')
    assert.equal(headers['cross-origin-opener-policy'], 'unsafe-none')
    const policy = headers['content-security-policy'] ?? ''
    assert.match(policy, /^default-src 'none'; .*; base-uri 'none'; frame-ancestors 'none'$/)
    return /form-action ([^;]*)/.exec(policy)?.[1]
  }
  assert.equal(await formActionOf('https://client.example:8443/cb?x=1'), "'self' https://client.example:8443 https:")
  assert.equal(await formActionOf('http://127.0.0.1:3118/cb'), "'self' http://127.0.0.1:3118 https:")
  assert.equal(await formActionOf('http://[::1]:3118/cb'), "'self' http: https:", 'a policy cannot name IPv6')
  assert.equal(await formActionOf('cursor://anysphere.cursor/cb'), "'self' cursor: https:")
  assert.equal(await formActionOf("https://a;script-src'/cb"), "'self' https: https:", 'nothing can be added to it')
  const { headers } = await browser.get('/settings/workspaces/acme/keys')
  assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
  assert.match(headers['content-security-policy'] ?? '', /form-action 'self';/)
})

test('a redirect URI keeps its own query', async (t) => {
  const service = await startConnectable(t)
  const uri = `${CALLBACK}?tenant=a%20b`
  const path = authorizePath({ client_id: registered('x', uri).id, redirect_uri: uri, state: undefined })
  const { send } = await openConsent(await signedIn(service), path)
  const location = (await send()).headers.location ?? ''
  assert.ok(location.startsWith(`${uri}&code=`))
  assert.equal(new URL(location).searchParams.has('state'), false)
})

test('while connecting is off, there is no such page', async (t) => {
  const service = await startConnectable(t, { env: { CONNECT: 'off' } })
  assert.equal((await new Browser(service.url).get(authorizePath())).status, 404)
})

test('a workspace with as many keys as it may have is not connected: neither by consent nor by an earlier code', async (t) => {
  const { service, browser } = await startSignedIn(t, startConnectable)
  const client = registered()
  const path = authorizePath({ client_id: client.id })
  const { code = '' } = sentTo((await (await openConsent(browser, path)).send()).headers.location)
  await fillWithKeys(service.operator, (await service.keys.list('acme'))[0]?.workspaceId ?? '')
  const { status, body } = await redeem(service, client.id, code)
  assert.deepEqual([status, body.error], [400, 'invalid_grant'])
  const refused = await (await openConsent(browser, authorizePath({ client_id: client.id, state: 's-2' }))).send()
  assert.equal(refused.status, 409)
  assert.match(refused.text, /No key was created: this workspace has 1,000 keys that have not ended/)
})
