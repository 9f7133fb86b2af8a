import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addMember, removeMember } from '../../src/intake/members.ts'
import { archiveWorkspace } from '../../src/intake/workspaces.ts'
import type { OperatorStore } from '../../src/storage/store.ts'
import { fieldOf, KEYS, linkFor, makeKeyOnPage, signedIn } from '../support/person.ts'
import { type Service, startService } from '../support/service.ts'

const AUDIT = '/settings/workspaces/acme/audit'

test('an admin makes keys as an owner does', async (t) => {
  const service = await startService(t)
  const { answer } = await makeKeyOnPage(await signedIn(service, 'admin'))
  assert.equal(answer.status, 200)
})

test('a member sees that the page exists and whom to ask, and no key', async (t) => {
  const service = await startService(t)
  await signedIn(service, 'admin')
  await signedIn(service, 'owner')
  const member = await signedIn(service, 'member')
  const page = await member.get(KEYS)
  assert.equal(page.status, 200)
  for (const email of ['owner@acme.example', 'admin@acme.example']) assert.ok(page.text.includes(email))
  assert.doesNotMatch(page.text, /vtr_|key_/)
})

test('a member can change nothing and read no trail', async (t) => {
  const service = await startService(t)
  const { id } = await service.makeKey()
  const member = await signedIn(service, 'member')
  for (const path of [
    `${KEYS}/new`,
    `${KEYS}/${id}/rotate`,
    `${KEYS}/${id}/revoke`,
    AUDIT,
    `${AUDIT}.csv`,
    `${AUDIT}.ndjson`,
  ])
    assert.equal((await member.get(path)).status, 403, path)
  const csrf = fieldOf(await member.get(KEYS), 'csrf')
  const form = { csrf, once: 'A'.repeat(43), label: 'x', permissions: 'tasks:read', expiry: '30', overlap: '0' }
  for (const path of [KEYS, `${KEYS}/${id}/rotate`, `${KEYS}/${id}/revoke`]) {
    const answer = await member.post(path, form)
    assert.equal(answer.status, 403, path)
    assert.doesNotMatch(answer.text, /vtr_/)
  }
  const keys = await service.keys.list('acme')
  assert.equal(keys.length, 2)
  assert.ok(keys.every(({ revokedAt }) => revokedAt === null))
})

test('an owner who becomes a member can go no further, even with the form open', async (t) => {
  const service = await startService(t)
  const browser = await signedIn(service)
  const page = await browser.get(`${KEYS}/new`)
  const at = new Date(service.time.now).toISOString()
  await addMember(service.operator, 'acme', { email: 'owner@acme.example', role: 'member' }, 'test', at)
  const form = {
    csrf: fieldOf(page, 'csrf'),
    once: fieldOf(page, 'once'),
    label: 'x',
    permissions: 'tasks:read',
    expiry: '30',
  }
  assert.equal((await browser.post(KEYS, form)).status, 403)
  assert.equal((await service.keys.list('acme')).length, 1)
})

const AT = '2026-11-15T12:00:00.000Z'
const EMAIL = 'owner@acme.example'
const meanwhile: Record<string, (service: Service) => Promise<unknown>> = {
  'are made a member': ({ operator }) => addMember(operator, 'acme', { email: EMAIL, role: 'member' }, 'test', AT),
  'are removed': ({ operator }) => removeMember(operator, 'acme', EMAIL, 'test', AT),
  'are signed out elsewhere': ({ operator }) => operator.transaction((tx) => tx.signIn.endAllOf(EMAIL)),
  'see their workspace archived': ({ operator }) => archiveWorkspace(operator, 'acme', 'test', AT),
}
for (const [what, happens] of Object.entries(meanwhile))
  test(`people who ${what} after their request was let in, and before its change begins, change nothing`, async (t) => {
    let service: Service | undefined
    let before: () => Promise<void> = async () => {}
    // The store of the service, with something that happens just before a transaction on it begins.
    const late = new Proxy({} as OperatorStore, {
      get: (_, name: keyof OperatorStore) =>
        name === 'transaction'
          ? async (work: Parameters<OperatorStore['transaction']>[0]) => {
              await before()
              return service?.operator.transaction(work)
            }
          : (...args: unknown[]) => Reflect.apply(service?.operator[name] as () => unknown, service?.operator, args),
    })
    service = await startService(t, { settingsStore: late })
    const started = service
    const { id } = await started.makeKey()
    const browser = await signedIn(started)
    const form = { label: 'x', permissions: 'tasks:read', expiry: '30', overlap: '0' }
    const keysBefore = JSON.stringify(await started.keys.list('acme'))
    for (const [i, path] of [KEYS, `${KEYS}/${id}/rotate`, `${KEYS}/${id}/revoke`].entries()) {
      const csrf = fieldOf(await browser.get(KEYS), 'csrf')
      let hasHappened = false
      before = async () => {
        if (!hasHappened) await happens(started)
        hasHappened = true
      }
      const answer = await browser.post(path, { ...form, csrf, once: String(i).padStart(43, 'A') })
      assert.equal(hasHappened, true, 'the request came as far as its transaction')
      assert.equal(answer.status, 403, path)
      assert.doesNotMatch(answer.text, /vtr_[0-9A-Za-z]{7}/)
      assert.equal(JSON.stringify(await started.keys.list('acme')), keysBefore, path)
      before = async () => {}
      await started.operator.transaction(async (tx) => {
        const acme = await tx.workspaceBySlug('acme')
        await tx.setArchived(acme?.id ?? '', null)
      })
      await browser.follow(await relink(started))
    }
  })

async function relink(service: Service): Promise<string> {
  await addMember(service.operator, 'acme', { email: EMAIL, role: 'owner' }, 'test', AT)
  return linkFor(service, EMAIL)
}
