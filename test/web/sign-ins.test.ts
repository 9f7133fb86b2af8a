import assert from 'node:assert/strict'
import { memberIdOf } from '../../src/members/records.ts'
import { testWith } from '../support/database.ts'
import type { HttpResponse } from '../support/exchange.ts'
import { Browser, createKeyOnPage, fieldOf, KEYS, signedIn, wordsOf } from '../support/person.ts'
import { type Service, startService } from '../support/service.ts'
import { createBareWorkspace } from '../support/workspaces.ts'

const test = testWith(startService)

const MEMBERS = '/settings/workspaces/acme/members'
const SIGN_INS = '/settings/workspaces/acme/sign-ins'
const EVE = 'eve@acme.example'
const ANA = 'ana@acme.example'
const BEN = 'ben@acme.example'

const linkIn = ({ text }: HttpResponse) =>
  /https?:[^<"]*\/settings\/sign-in\/link\?token=[\w-]{43}/.exec(text)?.[0] ?? ''
const statusOf = async (browser: Browser, path = KEYS) => (await browser.get(path)).status
/** A link for a member, created in the browser of another. */
async function linkBy(browser: Browser, email: string): Promise<string> {
  const csrf = fieldOf(await browser.get(MEMBERS), 'csrf')
  const link = linkIn(await browser.post(`${MEMBERS}/${memberIdOf({ email })}/link`, { csrf }))
  assert.notEqual(link, '')
  return link
}

/** A person signed in with such a link. */
async function signedInBy(service: Service, creator: Browser, email: string): Promise<Browser> {
  const browser = new Browser(service.url)
  assert.equal((await browser.follow(await linkBy(creator, email))).status, 303)
  assert.equal(await statusOf(browser), 200)
  return browser
}

test("the audit log shows the link’s creator for actions in a link's session", async (service) => {
  await service.addMember(ANA, 'owner')
  const asAna = await signedInBy(service, await signedIn(service, 'owner', EVE), ANA)
  const entry = async () => {
    const [{ actor, action, detail } = { actor: '', action: '', detail: {} as Record<string, unknown> }] =
      await service.newestEntries()
    return [actor, action, detail.linkBy]
  }
  const { response } = await createKeyOnPage(asAna)
  assert.equal(response.status, 200)
  assert.deepEqual(await entry(), [ANA, 'key.created', EVE])
  assert.match((await asAna.get('/settings/workspaces/acme/audit')).text, /link by<\/span> <bdi>eve@/)
  const csrf = fieldOf(await asAna.get(MEMBERS), 'csrf')
  await asAna.post(MEMBERS, {
    csrf,
    once: fieldOf(await asAna.get(`${MEMBERS}/new`), 'once'),
    email: BEN,
    role: 'admin',
  })
  assert.deepEqual(await entry(), [ANA, 'member.link_made', EVE])
  await asAna.post(`${MEMBERS}/${memberIdOf({ email: BEN })}/role`, { csrf, role: 'member' })
  assert.deepEqual(await entry(), [ANA, 'member.role_changed', EVE])
  await asAna.post('/settings/workspaces/acme/workspace/archive', { csrf })
  assert.deepEqual(await entry(), [ANA, 'workspace.archived', EVE])
  await asAna.post('/settings/workspaces/acme/workspace/restore', { csrf })
  assert.deepEqual(await entry(), [ANA, 'workspace.restored', EVE])
  await asAna.post('/settings/sign-out', { csrf })
  assert.deepEqual(await entry(), [ANA, 'session.ended', EVE])
})

test('a link is refused in a browser where its creator is signed in, and stays for the person', async (service) => {
  await service.addMember(ANA, 'admin')
  const eve = await signedIn(service, 'admin', EVE)
  const link = await linkBy(eve, ANA)
  const { pathname, search } = new URL(link)
  const shown = await eve.get(pathname + search)
  assert.equal(shown.status, 409)
  assert.match(shown.text, /You created it for ana@acme\.example, .* Send it to them\. .* sign out first/s)
  // The button of a page that was opened before Eve signed in.
  const early = new Browser(service.url)
  const page = await early.get(pathname + search)
  const form = { csrf: fieldOf(page, 'csrf'), token: fieldOf(page, 'token') }
  for (const [name, value] of eve.cookies) early.cookies.set(name, value)
  assert.equal((await early.post(pathname, form)).status, 409)
  assert.equal(await statusOf(eve, `${MEMBERS}/new`), 200, 'still Eve')
  const ben = await signedIn(service, 'admin', BEN)
  assert.equal((await ben.follow(link)).status, 303, 'another person’s session is replaced as before')
})

test('people see their own active sessions, by whose link they began, and can end them', async (service) => {
  await createBareWorkspace(service, 'second')
  await service.addMember(ANA, 'owner', 'second')
  const ana = await signedIn(service, 'admin', ANA)
  service.time.now += 1000
  const eve = await signedIn(service, 'admin', EVE)
  const asAna = await signedInBy(service, eve, ANA)

  const rowsIn = ({ text }: HttpResponse) =>
    [...text.matchAll(/<tbody.*?<\/tbody>/gs)].map(([row]) =>
      wordsOf(row.replaceAll(/<form.*?<\/form>/gs, ' [sign out]')).trim(),
    )
  const page = await ana.get(SIGN_INS)
  const [first = '', second = '', ...rest] = rowsIn(page)
  assert.deepEqual(rest, [])
  assert.match(first, /By a link created by eve@acme\.example .* just now \[sign out\]$/)
  assert.match(second, /This browser$/)
  assert.doesNotMatch((await eve.get(SIGN_INS)).text, /ana@/, 'nobody else’s')
  assert.ok((await ana.get(MEMBERS)).text.includes(`href="${SIGN_INS}"`))

  // A session from a link to one workspace sees the others here, and must not end sessions that reach further.
  const limited = rowsIn(await asAna.get(SIGN_INS))
  assert.deepEqual(
    limited.map((row) => row.includes('[sign out]')),
    [false, false],
  )
  const sessions = await service.operator.read((tx) => tx.all<{ hash: string }>('SELECT hash FROM sessions'))
  const [id = ''] = /name="id" value="([^"]*)"/.exec(page.text)?.slice(1) ?? []
  assert.ok(!page.text.includes(sessions[0]?.hash ?? ''), 'no hash of a session is on the page')
  const csrf = fieldOf(page, 'csrf')
  for (const browser of [eve, asAna]) {
    const own = fieldOf(await browser.get(SIGN_INS), 'csrf')
    for (const row of sessions) await browser.post(SIGN_INS, { csrf: own, id: row.hash })
    if (browser === eve) await browser.post(SIGN_INS, { csrf: own, id })
  }
  assert.deepEqual([await statusOf(ana), await statusOf(asAna)], [200, 200])
  assert.equal((await ana.post(SIGN_INS, { csrf: 'x', id })).status, 403)

  const ended = await ana.post(SIGN_INS, { csrf, id })
  assert.equal(ended.headers.location, SIGN_INS)
  assert.match((await ana.get(SIGN_INS)).text, /That session is signed out\./)
  assert.deepEqual([await statusOf(ana), await statusOf(asAna)], [200, 303])
  const trail = await service.newestEntries(5)
  const again = await ana.post(SIGN_INS, { csrf, id })
  assert.match(
    (await ana.get(again.headers.location ?? '')).text,
    /Nothing was signed out: that session had already ended/,
  )
  assert.deepEqual(await service.newestEntries(5), trail)
  const [{ actor, action, subject } = { actor: '', action: '', subject: '' }] = await service.newestEntries()
  assert.deepEqual([actor, action, subject], [ANA, 'session.ended', ANA])
})
