import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findNotices, unsubscribeToken } from '../../src/notices/records.ts'
import { exchange } from '../support/exchange.ts'
import { freePort } from '../support/listen.ts'
import { startMailServer } from '../support/mail-server.ts'
import { type Browser, fieldOf, openForm, sectionOf, signedIn, startSignedIn } from '../support/person.ts'
import { type Service, startService } from '../support/service.ts'

const NOTICES = '/settings/workspaces/acme/notices'
const URL_OF_HOOK = 'https://hooks.example/services/SECRETPATH'

const settingsOf = ({ operator, workspaceId }: Service) => operator.read((tx) => findNotices(tx, workspaceId))

async function formOf(browser: Browser, fields: Record<string, string | string[]> = {}) {
  const page = await browser.get(NOTICES)
  const kept = { csrf: fieldOf(page, 'csrf'), version: fieldOf(page, 'version') }
  return { ...kept, kinds: ['leaked', 'member'], recipients: ['owner@acme.example'], webhook: URL_OF_HOOK, ...fields }
}

/** The page to which a form with errors leads back. */
async function reopened(browser: Browser, fields: Record<string, string | string[]>) {
  const response = await browser.post(NOTICES, await formOf(browser, fields))
  assert.deepEqual([response.status, response.headers.location], [303, NOTICES])
  return browser.get(NOTICES)
}

const saved = async (t: Parameters<typeof startService>[0], env: Record<string, string> = {}) => {
  const service = await startService(t, { env })
  const owner = await signedIn(service)
  assert.equal((await owner.post(NOTICES, await formOf(owner))).status, 303)
  return { service, owner }
}

test("an owner chooses what is sent and where; the change is audited, without the webhook's path", async (t) => {
  const { service, owner } = await saved(t)
  const settings = await settingsOf(service)
  assert.deepEqual(settings?.kinds, ['leaked', 'member'])
  assert.deepEqual([settings?.webhookUrl, settings?.recipients], [URL_OF_HOOK, ['owner@acme.example']])
  const [entry] = await service.newestEntries(5)
  assert.deepEqual([entry?.action, entry?.actor], ['notices.updated', 'owner@acme.example'])
  assert.deepEqual(entry?.detail, {
    kinds: ['leaked', 'member'],
    recipients: ['owner@acme.example'],
    webhook: 'hooks.example',
  })
  const page = await owner.get(NOTICES)
  assert.match(page.text, /Saved\./)
  assert.match(page.text, /value="leaked" checked/)
  assert.doesNotMatch(page.text, /value="quota" checked/)
  assert.ok(!page.text.includes(settings?.webhookSecret ?? ''))
  assert.match(page.text, /Mail is not set up/)
})

test('without mail, people cannot be chosen, those who are stay, and a save that reaches no one says so', async (t) => {
  const { service, owner } = await saved(t)
  const page = await owner.get(NOTICES)
  assert.match(page.text, /type="checkbox" name="recipients" value="owner@acme\.example" checked disabled/)
  assert.match(page.text, /type="hidden" name="recipients" value="owner@acme\.example"/)
  const form = await formOf(owner, { webhook: '' })
  assert.equal((await owner.post(NOTICES, form)).status, 303)
  const { text } = await owner.get(NOTICES)
  assert.match(text, /notice warn.*Saved, but no one is notified until mail or a webhook is set up\./)
  assert.deepEqual((await settingsOf(service))?.recipients, ['owner@acme.example'])
})

test('a webhook whose path looks like a key is kept; a redacted part is not saved', async (t) => {
  const { service, browser: owner } = await startSignedIn(t)
  const webhook = `https://hooks.example/${'aB3'.repeat(20)}`
  const urlIn = ({ text }: { text: string }) => / name="webhook" type="url" value="([^"]*)"/.exec(text)?.[1]
  await owner.post(NOTICES, await formOf(owner, { webhook }))
  assert.equal(urlIn(await owner.get(NOTICES)), webhook)
  assert.match(
    (await reopened(owner, { webhook: 'https://hooks.example/[redacted]' })).text,
    /Type the whole URL again/,
  )
  assert.equal((await settingsOf(service))?.webhookUrl, webhook)
})

test("only owners change it; admins see it without the webhook's path, and members see nothing", async (t) => {
  const { service, owner } = await saved(t)
  const admin = await signedIn(service, 'admin')
  const page = await admin.get(NOTICES)
  assert.equal(page.status, 200)
  assert.match(page.text.replace(/<wbr>/g, ''), /hooks\.example/)
  assert.doesNotMatch(page.text, /SECRETPATH|<form class="form/)
  const form = { ...(await formOf(owner)), csrf: fieldOf(page, 'csrf') }
  for (const path of [NOTICES, `${NOTICES}/test`, `${NOTICES}/secret`])
    assert.equal((await admin.post(path, { ...form, once: 'A'.repeat(43) })).status, 403, path)
  const member = await signedIn(service, 'member')
  assert.equal((await member.get(NOTICES)).status, 403)
  assert.doesNotMatch((await member.get('/settings/workspaces/acme/keys')).text, /\/notices"/)
})

test('wrong values are named and nothing is saved; only owners and admins can be chosen', async (t) => {
  const { service, browser: owner } = await startSignedIn(t)
  for (const webhook of ['http://a.example/', 'https://10.0.0.1/', 'https://localhost.@x/']) {
    const shown = await reopened(owner, { webhook })
    assert.match(shown.text, /id="webhook-error"/)
    assert.ok(shown.text.includes(`value="${webhook}"`), 'what was typed is kept')
    assert.match(shown.text, /value="leaked" checked/)
  }
  const many = Array.from({ length: 21 }, (_, n) => `p${n}@acme.example`)
  assert.match((await reopened(owner, { recipients: many })).text, /Choose at most 20 people/)
  assert.equal(await settingsOf(service), undefined)
  await service.addMember('bob@acme.example')
  const recipients = ['owner@acme.example', 'bob@acme.example', 'stranger@evil.example']
  assert.equal((await owner.post(NOTICES, await formOf(owner, { recipients }))).status, 303)
  assert.deepEqual((await settingsOf(service))?.recipients, ['owner@acme.example'])
})

test('a form that was opened before another change does not undo it, and the same form twice is one change', async (t) => {
  const { service, owner } = await saved(t)
  const form = await formOf(owner, { kinds: ['quota'] })
  const stale = await formOf(owner, { kinds: ['source'] })
  assert.equal((await owner.post(NOTICES, form)).status, 303)
  assert.equal((await owner.post(NOTICES, form)).status, 303)
  const late = await owner.submit(NOTICES, stale)
  assert.match(late.text, /Nothing was saved/)
  assert.match(late.text, /value="source" checked/, 'what was chosen is kept')
  assert.deepEqual((await settingsOf(service))?.kinds, ['quota'])
  assert.match((await owner.get(NOTICES)).text, /value="quota" checked/)
  await owner.post(NOTICES, { ...stale, version: fieldOf(late, 'version') })
  assert.deepEqual((await settingsOf(service))?.kinds, ['source'], 'saving again overwrites the other change')
})

test('a signing secret is shown once, also after a second click', async (t) => {
  const { service, owner } = await saved(t)
  const before = (await settingsOf(service))?.webhookSecret
  const form = await openForm(owner, NOTICES)
  const first = await owner.post(`${NOTICES}/secret`, form)
  const secret = (await settingsOf(service))?.webhookSecret ?? ''
  assert.equal(first.status, 200)
  assert.ok(first.text.replaceAll('&#61;', '=').includes(`<code id="secret" data-secret>${secret}</code>`))
  assert.notEqual(secret, before)
  const second = await owner.post(`${NOTICES}/secret`, form)
  assert.equal(sectionOf(second), 'Notices')
  assert.equal(second.status, 409)
  assert.doesNotMatch(second.text, /whsec_/)
  assert.equal((await settingsOf(service))?.webhookSecret, secret)
  assert.equal((await service.newestEntries(5))[0]?.action, 'notices.secret_replaced')
  assert.doesNotMatch((await owner.get(NOTICES)).text, /whsec_/)
})

test('a test goes to the webhook and to the person who asks, and is limited', async (t) => {
  const mail = await startMailServer(t)
  const port = await freePort()
  const env = { SMTP_URL: mail.url, MAIL_FROM: 'v@vitrine.example', PUBLIC_URL: `http://127.0.0.1:${port}` }
  const service = await startService(t, { env, port })
  const owner = await signedIn(service)
  assert.match((await reopened(owner, { recipients: [], webhook: '' })).text, /No one would be notified/)
  assert.equal((await owner.post(NOTICES, await formOf(owner, { recipients: [] }))).status, 303)
  const { csrf } = await formOf(owner)
  for (let n = 0; n < 10; n++) {
    assert.equal((await owner.post(`${NOTICES}/test`, { csrf })).headers.location, NOTICES)
    assert.match((await owner.get(NOTICES)).text, /A test is on its way/)
  }
  await owner.post(`${NOTICES}/test`, { csrf })
  assert.match((await owner.get(NOTICES)).text, /there were ten tests in the last hour/)
  const rows = await service.operator.read((tx) =>
    tx.all<{ recipient: string | null }>('SELECT recipient FROM notice_deliveries'),
  )
  assert.equal(rows.length, 20)
  assert.deepEqual([...new Set(rows.map(({ recipient }) => recipient))].sort(), [null, 'owner@acme.example'].sort())
  const page = await owner.get(NOTICES)
  assert.match(page.text, /This is a test that owner@acme\.example sent/)
  assert.match(page.text, /Waiting/)
  assert.ok(page.text.length < 60_000)
})

test('anyone with the link can unsubscribe without signing in: GET only asks, POST does it, also from a mail program', async (t) => {
  const { service } = await saved(t)
  const { unsubscribeKey = '' } = (await settingsOf(service)) ?? {}
  const path = `/settings/unsubscribe?token=${unsubscribeToken(unsubscribeKey, 'owner@acme.example')}`
  const unknown = `/settings/unsubscribe?token=${'A'.repeat(43)}`
  const [asked, stranger] = [await exchange(service.url, path), await exchange(service.url, unknown)]
  assert.deepEqual([asked.status, stranger.status], [200, 200])
  const withoutToken = (text: string) => text.replace(/token=[\w-]+/g, '')
  assert.equal(withoutToken(asked.text), withoutToken(stranger.text), 'the page reveals nothing')
  assert.deepEqual((await settingsOf(service))?.recipients, ['owner@acme.example'])
  const oneClick = {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  }
  const done = await exchange(service.url, path, oneClick)
  assert.equal(done.status, 200)
  assert.match(done.text, /You are unsubscribed/)
  assert.deepEqual((await settingsOf(service))?.recipients, [])
  const [entry] = await service.newestEntries(5)
  assert.deepEqual(
    [entry?.action, entry?.actor, entry?.subject],
    ['notices.unsubscribed', 'unsubscribe link', 'owner@acme.example'],
  )
  for (const again of [path, unknown])
    assert.match((await exchange(service.url, again, oneClick)).text, /This link is not in use/)
  assert.equal((await exchange(service.url, '/settings/unsubscribe?token=x', oneClick)).status, 400)
  assert.ok(!service.logLines.some((line) => line.includes('token=')))
})
