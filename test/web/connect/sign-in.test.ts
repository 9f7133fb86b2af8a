import assert from 'node:assert/strict'
import { test } from 'node:test'
import { authorizePath, openConsent, registered, sentTo, startConnectable } from '../../support/consent.ts'
import { startIdentityProvider } from '../../support/identity-provider.ts'
import {
  addOtherOwner,
  Browser,
  endSessions,
  fieldOf,
  KEYS,
  linkFor,
  signedIn,
  startSignedIn,
} from '../../support/person.ts'

const OWNER = 'owner@acme.example'
const OIDC_PATH = '/settings/sign-in/oidc'
const optionsFor = (issuer: string) => ({
  env: { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'vitrine', OIDC_CLIENT_SECRET: 'a-secret' },
})

/** As a link on another site would be followed. */
const FROM_ELSEWHERE = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }

test('a person who has to sign in stays at the request’s URL, and a link leads back to it', async (t) => {
  const service = await startConnectable(t)
  await signedIn(service)
  const path = authorizePath({ client_id: registered('x'.repeat(90)).id, state: `${'S'.repeat(500)}=/+&` })
  const browser = new Browser(service.url)
  const page = await browser.get(path, FROM_ELSEWHERE)
  assert.equal(page.status, 200)
  assert.match(page.text, /A program (on this computer|at .*) asks to read a workspace/)
  assert.equal(page.headers['cross-origin-opener-policy'], 'unsafe-none')
  const confirm = await browser.get(new URL(await linkFor(service, OWNER)).pathname)
  assert.equal(confirm.headers['cross-origin-opener-policy'], 'unsafe-none')
  const back = await browser.follow(await linkFor(service, OWNER))
  assert.equal(back.headers.location, path)
  assert.equal(back.headers['cross-origin-opener-policy'], 'unsafe-none')
  assert.equal(browser.cookies.has('vitrine_return'), false)
  const { send } = await openConsent(browser, path)
  assert.equal(sentTo((await send()).headers.location).state, `${'S'.repeat(500)}=/+&`)
})

test('each of several tabs continues with its own request, also with the company’s sign-in', async (t) => {
  const provider = await startIdentityProvider(t, `http://127.0.0.1:1${OIDC_PATH}/callback`)
  const service = await startConnectable(t, {
    env: { ...optionsFor(provider.issuer).env, PUBLIC_URL: 'http://127.0.0.1:1' },
  })
  await service.addMember(OWNER, 'owner')
  const browser = new Browser(service.url)
  const [first, second] = ['one', 'two'].map((state) => authorizePath({ state })) as [string, string]
  const hrefIn = (text: string) =>
    /href="(\/settings\/sign-in\/oidc[^"]*)"/.exec(text)?.[1]?.replaceAll('&#38;', '&') ?? ''
  const links = [hrefIn((await browser.get(first)).text), hrefIn((await browser.get(second)).text)]
  await browser.get(KEYS)
  browser.cookies.delete('vitrine_visitor')
  const reopened = await browser.get(links[0] ?? '')
  assert.match(reopened.text, /Choose how to sign in/, 'the page was open for more than an hour')
  assert.equal(hrefIn(reopened.text), links[0])
  for (const [index, path] of [first, second].entries()) {
    const start = await browser.get(links[index] ?? '')
    const back = await browser.get(await provider.signIn(start.headers.location ?? '', OWNER))
    assert.equal(back.headers.location, path)
    assert.equal(back.headers['cross-origin-opener-policy'], 'unsafe-none')
    assert.match((await browser.get(path)).text, /Connect a program/)
  }
  const elsewhere = await browser.get(`${OIDC_PATH}?continue=${encodeURIComponent('https://evil.example/')}`)
  assert.equal(browser.cookies.has('vitrine_return'), false)
  assert.doesNotMatch(elsewhere.headers.location ?? '', /evil/)
})

test('a form submitted after its session ended is restored after signing in, for the same request only', async (t) => {
  const { service, browser } = await startSignedIn(t, startConnectable)
  const path = authorizePath()
  const { fields } = await openConsent(browser, path, { expiry: 'custom', expiryDate: '2027-01-31', rateLimit: '120' })
  await endSessions(service)
  const ended = await browser.post(
    path,
    fields.filter(([, value]) => value !== 'workspace:read'),
  )
  assert.equal(ended.headers.location, '/settings/sign-in')
  assert.equal((await browser.follow(await linkFor(service, OWNER))).headers.location, path)
  assert.doesNotMatch((await browser.get(authorizePath({ state: 'other' }))).text, /2027-01-31/)
  const form = await browser.get(path)
  assert.match(form.text, /What you typed is still here/)
  assert.match(form.text, /name="expiryDate"[^>]* value="2027-01-31"/)
  assert.match(form.text, /name="rateLimit"[^>]* value="120"/)
  assert.doesNotMatch(form.text, /value="workspace:read" checked/)
  assert.equal(browser.cookies.has('vitrine_return'), false, 'it is shown once')
  assert.notEqual(fieldOf(form, 'once'), new Map(fields).get('once'))
})

test('a form from an earlier session is opened again with what was typed', async (t) => {
  const { service, browser } = await startSignedIn(t, startConnectable)
  const path = authorizePath()
  const { fields } = await openConsent(browser, path, { rateLimit: '77' })
  await browser.follow(await linkFor(service, OWNER))
  const refused = await browser.post(path, fields)
  assert.equal(refused.status, 403)
  assert.ok(refused.text.replaceAll('&#38;', '&').includes(`href="${path}"`))
  assert.match((await browser.get(path)).text, /name="rateLimit"[^>]* value="77"/)
})

test('a draft cannot check a permission that was not requested', async (t) => {
  const service = await startConnectable(t)
  await addOtherOwner(service)
  const browser = await signedIn(service)
  const path = authorizePath({ scope: 'tasks:read' })
  const draft = new URLSearchParams([
    ['permissions', 'workspace:read'],
    ['permissions', 'tasks:read'],
  ])
  browser.cookies.set('vitrine_return', Buffer.from(`${path}\n${draft}`).toString('base64url'))
  const { checked, page } = await openConsent(browser, path)
  assert.deepEqual(checked, ['tasks:read'])
  assert.doesNotMatch(page.text, /workspace:read/)
})

test('a request that is too long for the cookie works once the person has signed in, and the page says how', async (t) => {
  const service = await startConnectable(t)
  await signedIn(service)
  // Each slash takes three characters.
  const path = authorizePath({ state: '/'.repeat(1000) })
  const browser = new Browser(service.url)
  await browser.get(authorizePath())
  const page = await browser.get(path)
  assert.match(page.text, /Sign in to Vitrine.*start connecting again from the program/s)
  const signedInBy = await browser.follow(await linkFor(service, OWNER))
  assert.doesNotMatch(signedInBy.headers.location ?? '', /oauth/, 'not the request of another program')
  const { fields, page: form } = await openConsent(browser, path)
  assert.match(form.text, /Connect a program/, 'reloading the tab continues')
  await endSessions(service)
  const ended = await browser.post(path, fields)
  assert.match((await browser.get(ended.headers.location ?? '')).text, /start connecting again from the program/)
})
