import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memberIdOf } from '../../src/members/records.ts'
import { changeRole, listMembers } from '../support/changes.ts'
import type { HttpResponse } from '../support/exchange.ts'
import {
  addOtherOwner,
  Browser,
  createKeyOnPage,
  fieldOf,
  KEYS,
  openForm,
  sectionOf,
  signedIn,
  startSignedIn,
} from '../support/person.ts'
import { replicaOf } from '../support/replicas.ts'
import { type Service, startService } from '../support/service.ts'

const MEMBERS = '/settings/workspaces/acme/members'
const ANA = 'ana@acme.example'
const DAY_MS = 86_400_000

const pathOf = (email: string) => `${MEMBERS}/${memberIdOf({ email })}`
const linkIn = ({ text }: HttpResponse) =>
  /https?:[^<"]*\/settings\/sign-in\/link\?token=[\w-]{43}/.exec(text)?.[0] ?? ''
const rolesOf = async ({ operator }: Service) =>
  Object.fromEntries((await listMembers(operator, 'acme')).map(({ email, role }) => [email, role]))

async function invite(browser: Browser, fields: { email?: string; role?: string } = {}) {
  const form = { ...(await openForm(browser, `${MEMBERS}/new`)), email: ANA, role: 'member', ...fields }
  return { form, response: await browser.submit(MEMBERS, form) }
}

async function send(browser: Browser, path: string, fields: Record<string, string> = {}) {
  return browser.post(path, { csrf: fieldOf(await browser.get(MEMBERS), 'csrf'), ...fields })
}

const statusOf = async (browser: Browser, path = KEYS) => (await browser.get(path)).status

test('an invitation adds a member, and its link signs them in once, within seven days', async (t) => {
  const { service, browser: owner } = await startSignedIn(t)
  const { response } = await invite(owner, { email: ' Ana@Acme.example ', role: 'admin' })
  assert.equal(response.status, 200, response.text)
  assert.equal(response.headers['cache-control'], 'no-store')
  assert.deepEqual(
    (await service.newestEntries(2)).map(({ actor, action, subject }) => [actor, action, subject]),
    [
      ['owner@acme.example', 'member.link_made', ANA],
      ['owner@acme.example', 'member.added', ANA],
    ],
  )
  const link = linkIn(response)
  service.time.now += 7 * DAY_MS - 1
  const ana = new Browser(service.url)
  assert.equal((await ana.follow(link)).headers.location, KEYS.replace('/keys', ''))
  assert.equal(await statusOf(ana), 200)
  assert.equal((await new Browser(service.url).follow(link)).status, 410)
  const [started] = await service.newestEntries()
  assert.deepEqual(started?.detail, { by: 'link', createdBy: 'owner@acme.example' })
  const again = await signedIn(service)
  const page = await again.get(MEMBERS)
  assert.match(page.text, /ana@acme\.example.*?Admin.*?just now/s)
})

test('a double-click on “Invite” adds one member and confirms it; a bad address keeps what was typed', async (t) => {
  const { service, browser: owner } = await startSignedIn(t)
  const { form, response } = await invite(owner)
  const second = await owner.post(MEMBERS, form)
  assert.deepEqual([response.status, second.status], [200, 409])
  assert.match(second.text, /was already sent/)
  assert.equal(sectionOf(second), 'Members')
  assert.ok(second.text.includes(`href="${pathOf(ANA)}"`), 'one step to a new link')
  const other = await owner.post(MEMBERS, { ...form, email: 'owner@acme.example' })
  assert.match(other.text, /The first time, <bdi>ana@acme\.example<\/bdi> was invited/)
  assert.equal(linkIn(second), '')
  const added = (await service.newestEntries(10)).filter(({ action }) => action === 'member.added')
  assert.equal(added.filter(({ subject }) => subject === ANA).length, 1)
  // Both at once, on two servers.
  const replica = await replicaOf(t, service)
  const elsewhere = new Browser(replica.url, owner.cookies)
  const both = { ...(await openForm(owner, `${MEMBERS}/new`)), email: 'bo@acme.example', role: 'admin' }
  const responses = await Promise.all([owner.post(MEMBERS, both), elsewhere.post(MEMBERS, both)])
  assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 409])

  for (const email of ['ana', '', 'ana@', 'an\u212Aa@acme.example', `${'x'.repeat(250)}@acme.example`]) {
    const { response: refused } = await invite(owner, { email, role: 'admin' })
    assert.match(refused.text, /id="email-error"/, email)
    assert.equal(fieldOf(refused, 'email') || / value="([^"]*)" required/.exec(refused.text)?.[1], email)
    assert.match(refused.text, /value="admin" checked/)
  }
})

test('a role that someone else has changed since the page was opened is shown, and not changed back', async (t) => {
  const { service, browser } = await startSignedIn(t)
  await service.addMember(ANA, 'admin')
  const page = await browser.get(pathOf(ANA))
  const form = { csrf: fieldOf(page, 'csrf'), opened: fieldOf(page, 'opened') }
  await changeRole(service.operator, 'acme', { email: ANA, role: 'member' }, 'test')
  const refused = await browser.post(`${pathOf(ANA)}/role`, { ...form, role: 'admin' })
  assert.equal(refused.status, 409)
  assert.match(refused.text, /ana@acme\.example is a member now/)
  assert.equal((await rolesOf(service))[ANA], 'member')
  const same = await browser.post(`${pathOf(ANA)}/role`, { ...form, role: 'member' })
  assert.equal(same.status, 303, 'it is as they want it')
})

test('an admin can neither make nor change an owner', async (t) => {
  const service = await startService(t)
  await signedIn(service)
  const admin = await signedIn(service, 'admin')
  const owner = pathOf('owner@acme.example')
  assert.equal((await invite(admin, { role: 'owner' })).response.status, 403)
  assert.equal(await statusOf(admin, owner), 403)
  for (const [path, fields] of [
    [`${owner}/role`, { role: 'member' }],
    [`${owner}/link`, {}],
    [`${owner}/remove`, {}],
    [`${pathOf('admin@acme.example')}/role`, { role: 'owner' }],
  ] as const)
    assert.equal((await send(admin, path, fields)).status, 403, path)
  assert.deepEqual(await rolesOf(service), { 'owner@acme.example': 'owner', 'admin@acme.example': 'admin' })
})

test('a change of role applies to the next request, on every replica, even for an open form', async (t) => {
  const { service, browser: owner } = await startSignedIn(t)
  const admin = await signedIn(service, 'admin')
  const elsewhere = new Browser((await replicaOf(t, service)).url)
  for (const [name, value] of admin.cookies) elsewhere.cookies.set(name, value)
  const open = await elsewhere.get(`${MEMBERS}/new`)
  const changed = await send(owner, `${pathOf('admin@acme.example')}/role`, { role: 'member' })
  assert.equal(changed.headers.location, MEMBERS)
  assert.match((await owner.get(changed.headers.location ?? '')).text, /admin@acme\.example is now a member\./)
  const form = { csrf: fieldOf(open, 'csrf'), once: fieldOf(open, 'once'), email: ANA, role: 'member' }
  assert.equal((await elsewhere.post(MEMBERS, form)).status, 403)
  assert.equal(await statusOf(elsewhere, `${KEYS}/new`), 403)
  const [{ actor, action, subject, detail } = assert.fail()] = await service.newestEntries()
  assert.deepEqual([actor, action, subject], ['owner@acme.example', 'member.role_changed', 'admin@acme.example'])
  assert.deepEqual(detail, { from: 'admin', to: 'member' })
  await send(owner, `${pathOf('admin@acme.example')}/role`, { role: 'admin' })
  assert.equal((await createKeyOnPage(elsewhere)).response.status, 200)
})

test('the last owner can neither leave nor be demoted, and the page explains what to do', async (t) => {
  const { service, browser: owner } = await startSignedIn(t)
  const own = pathOf('owner@acme.example')
  assert.match((await owner.get(own)).text, /make someone else an owner first/)
  for (const [path, fields] of [
    [`${own}/role`, { role: 'admin' }],
    [`${own}/remove`, {}],
  ] as const) {
    const response = await send(owner, path, fields)
    assert.equal(response.status, 409, path)
    assert.match(response.text, /Make someone else an owner first/)
  }
  await addOtherOwner(service)
  const left = await send(owner, `${own}/remove`)
  assert.equal(left.headers.location, '/settings/sign-in')
  assert.match((await owner.get('/settings/sign-in')).text, /You have left the workspace/)
  assert.equal(await statusOf(owner), 303)
  assert.deepEqual(await rolesOf(service), { 'other@acme.example': 'owner' })
})

test('a member sees whom to ask and can leave, and nothing else', async (t) => {
  const service = await startService(t)
  await signedIn(service)
  await signedIn(service, 'admin')
  const member = await signedIn(service, 'member')
  const page = await member.get(MEMBERS)
  assert.equal(page.status, 200)
  assert.match(page.text, /owner@acme\.example.*admin@acme\.example/s)
  assert.equal((await invite(member)).response.status, 403)
  for (const path of [`${MEMBERS}/new`, pathOf('member@acme.example'), `${pathOf('admin@acme.example')}/remove`])
    assert.equal(await statusOf(member, path), 403, path)
  for (const path of ['role', 'link', 'remove'])
    assert.equal((await send(member, `${pathOf('admin@acme.example')}/${path}`, { role: 'member' })).status, 403, path)
  assert.equal((await member.get(`${pathOf('member@acme.example')}/remove`)).status, 200)
  assert.equal((await send(member, `${pathOf('member@acme.example')}/remove`)).status, 303)
  assert.deepEqual(Object.keys(await rolesOf(service)), ['admin@acme.example', 'owner@acme.example'])
  for (const id of ['mem_000000000000000000', 'x', '%00']) {
    const owner = await signedIn(service)
    assert.equal(await statusOf(owner, `${MEMBERS}/${id}`), 404)
  }
})
