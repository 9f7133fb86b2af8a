import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { findWorkspace } from '../../src/workspaces/records.ts'
import { addMember, archiveWorkspace, listMembers, removeMember } from '../support/changes.ts'
import { addOtherOwner, type Browser, fieldOf, KEYS, openForm, signedIn } from '../support/person.ts'
import { openRaw } from '../support/raw.ts'
import { type Service, startService } from '../support/service.ts'

const AUDIT = '/settings/workspaces/acme/audit'

test('a member sees whom to ask, and no key', async (t) => {
  const service = await startService(t)
  await signedIn(service, 'admin')
  await signedIn(service, 'owner')
  const member = await signedIn(service, 'member')
  const page = await member.get(KEYS)
  assert.equal(page.status, 200)
  for (const email of ['owner@acme.example', 'admin@acme.example']) assert.ok(page.text.includes(email))
  assert.doesNotMatch(page.text, /vtr_|key_/)
  const { id } = await service.createKey({ label: 'secret plans' })
  const keyPage = await member.get(`${KEYS}/${id}`)
  assert.match(keyPage.text, /owner@acme\.example/)
  assert.doesNotMatch(keyPage.text, /secret plans|vtr_/)
})

test('a member can neither change anything nor read the audit log', async (t) => {
  const service = await startService(t)
  const { id } = await service.createKey()
  const member = await signedIn(service, 'member')
  for (const path of [
    `${KEYS}/new`,
    ...['', '/rotate', '/revoke', '/cancel-rotation', '/agent', '/edit', '/pause'].map(
      (verb) => `${KEYS}/${id}${verb}`,
    ),
    '/settings/workspaces/acme/workspace/archive',
    AUDIT,
    `${AUDIT}.csv`,
    `${AUDIT}.ndjson`,
  ])
    assert.equal((await member.get(path)).status, 403, path)
  const csrf = fieldOf(await member.get(KEYS), 'csrf')
  const form = { csrf, once: 'A'.repeat(43), label: 'x', permissions: 'tasks:read', expiry: '30', overlap: '0' }
  const verbs = ['rotate', 'revoke', 'cancel-rotation', 'edit', 'pause', 'resume']
  for (const path of [KEYS, ...verbs.map((verb) => `${KEYS}/${id}/${verb}`)]) {
    const response = await member.post(path, form)
    assert.equal(response.status, 403, path)
    assert.doesNotMatch(response.text, /vtr_/)
  }
  const keys = await service.keys.list('acme')
  assert.equal(keys.length, 2)
  assert.ok(keys.every(({ label, pausedAt, revokedAt }) => label === 'test' && pausedAt === null && revokedAt === null))
})

/** Sends a form whose head has passed every check of the session, as the 100 shows, and its fields only after `meanwhile`. */
async function postLate(
  t: TestContext,
  browser: Browser,
  path: string,
  fields: Record<string, string>,
  meanwhile: () => Promise<unknown>,
) {
  const connection = await openRaw(browser.url)
  t.after(() => connection.socket.destroy())
  const body = new URLSearchParams(fields).toString()
  const cookie = browser.cookieHeader
  connection.write(
    `POST ${path} HTTP/1.1\r\nHost: ${new URL(browser.url).host}\r\nOrigin: ${browser.url}\r\nCookie: ${cookie}\r\n` +
      `Sec-Fetch-Site: same-origin\r\nContent-Type: application/x-www-form-urlencoded\r\nExpect: 100-continue\r\n` +
      `Content-Length: ${body.length}\r\n\r\n`,
  )
  assert.equal((await connection.next()).status, 100)
  await meanwhile()
  connection.write(body)
  return connection.next()
}

const losses: [what: string, lose: (service: Service, browser: Browser, at: string) => Promise<unknown>][] = [
  [
    'became a member',
    ({ operator }, _, at) => addMember(operator, 'acme', { email: 'owner@acme.example', role: 'member' }, 'test', at),
  ],
  ['was removed', ({ operator }) => removeMember(operator, 'acme', 'owner@acme.example', 'test')],
  ['saw their workspace archived', ({ operator }) => archiveWorkspace(operator, 'acme', 'test')],
  [
    'signed out elsewhere',
    async (_, browser) =>
      assert.equal(
        (await browser.post('/settings/sign-out', { csrf: fieldOf(await browser.get(KEYS), 'csrf') })).status,
        303,
      ),
  ],
]
/** One for each place that checks the role again: changes of keys, of members and of the workspace. */
const actions = ['revoke', 'invite', 'workspace']

for (const [what, lose] of losses) {
  test(`an owner who ${what} while their form arrived changes nothing`, async (t) => {
    for (const action of actions) {
      const service = await startService(t)
      const { id } = await service.createKey()
      const browser = await signedIn(service)
      await addOtherOwner(service)
      const { csrf, once } = await openForm(browser, `${KEYS}/new`)
      const fields = { label: 'x', permissions: 'tasks:read', expiry: 'never', overlap: '0' }
      const person = { email: 'ana@acme.example', role: 'admin' }
      const version = fieldOf(await browser.get('/settings/workspaces/acme/workspace'), 'version')
      const form = {
        csrf,
        once,
        version,
        ...fields,
        ...person,
        name: 'Changed',
        timezone: '',
        currency: '',
        country: '',
      }
      const paths: Record<string, string> = {
        invite: '/settings/workspaces/acme/members',
        workspace: '/settings/workspaces/acme/workspace',
      }
      const path = paths[action] ?? `${KEYS}/${id}/${action}`
      const at = new Date(service.time.now).toISOString()
      const response = await postLate(t, browser, path, form, () => lose(service, browser, at))
      assert.equal(response.status, 403, `${action}: ${response.text}`)
      assert.doesNotMatch(response.text, /vtr_/)
      assert.ok(!service.logLines.some((line) => line.includes('"path":"/tasks"')), 'nothing was requested')
      const keys = await service.keys.list('acme')
      assert.equal(keys.length, 2)
      assert.ok(keys.every((key) => key.revokedAt === null && key.pausedAt === null && key.label === 'test'))
      const workspace = await service.operator.read((tx) => findWorkspace(tx, 'acme'))
      assert.equal(workspace?.name, 'Acme Buying')
      const members = await listMembers(service.operator, 'acme')
      assert.ok(members.every(({ email }) => email !== person.email))
    }
  })
}
