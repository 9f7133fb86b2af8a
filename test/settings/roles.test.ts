import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addMember } from '../../src/intake/members.ts'
import { fieldOf, KEYS, makeKeyOnPage, signedIn } from '../support/person.ts'
import { startService } from '../support/service.ts'

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
