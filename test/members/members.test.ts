import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as members from '../../src/members/members.ts'
import { workspaceOrThrow } from '../../src/workspaces/records.ts'
import { createWorkspace } from '../../src/workspaces/workspaces.ts'
import { addMember, changeRole, listMembers, removeMember } from '../support/changes.ts'
import { startOperator } from '../support/operator.ts'

const AT = '2026-11-15T12:00:00.000Z'

test('no one is added or removed under a confusable of their address', async (t) => {
  const { store } = await startOperator(t)
  const [odd, plain] = ['mi\u212Ae@acme.example', 'mike@acme.example']
  assert.throws(() => members.checkedEmail(odd), { message: /is not an email address in plain ASCII/ })
  await addMember(store, 'acme', { email: plain, role: 'owner' }, 'test', AT)
  const refused = { name: 'InvalidValueError' }
  await assert.rejects(addMember(store, 'acme', { email: odd, role: 'member' }, 'test', AT), refused)
  await assert.rejects(removeMember(store, 'acme', odd, 'test'), refused)
  assert.deepEqual(
    (await listMembers(store, 'acme')).map(({ email }) => email),
    [plain],
  )
})

test('a workspace has at most 200 members, and a person is a member of at most 200 workspaces', async (t) => {
  const { store } = await startOperator(t)
  const add = (slug: string, email: string) => addMember(store, slug, { email, role: 'member' }, 'test', AT)
  await store.transaction(async (tx) => {
    const insert = 'INSERT INTO members (workspace_id, email, role, added_at) VALUES (?, ?, ?, ?)'
    const { id: acme } = await workspaceOrThrow(tx, 'acme')
    for (let i = 0; i < members.MAX_MEMBERS; i++) await tx.run(insert, acme, `m${i}@acme.example`, 'member', AT)
    for (let i = 0; i < members.MAX_WORKSPACES; i++) {
      const { id } = await createWorkspace(tx, { name: 'W', slug: `w${i}` }, 'test')
      await tx.run(insert, id, 'ana@acme.example', 'member', AT)
    }
    await createWorkspace(tx, { name: 'Last', slug: 'last' }, 'test')
  })
  await assert.rejects(add('acme', 'one-more@acme.example'), {
    name: 'MembershipBoundError',
    message: 'acme has 200 members, and cannot have more; remove one first',
  })
  await assert.rejects(add('last', 'ana@acme.example'), {
    message: 'ana@acme.example is a member of 200 workspaces, and cannot join more; remove them from one first',
  })
  assert.equal((await add('acme', 'm0@acme.example')).before, 'member', 'a member of it can still be changed')
  await removeMember(store, 'acme', 'm1@acme.example', 'test')
  await add('acme', 'one-more@acme.example')
})

test('a change of role is audited with both roles', async (t) => {
  const { store } = await startOperator(t)
  for (const role of ['member', 'admin', 'admin'] as const)
    await addMember(store, 'acme', { email: 'ana@acme.example', role }, 'test', AT)
  const sql = "SELECT actor, subject, detail FROM audit WHERE action = 'member.role_changed'"
  assert.deepEqual(
    (await store.read((tx) => tx.all<object>(sql))).map((entry) => ({ ...entry })),
    [{ actor: 'test', subject: 'ana@acme.example', detail: '{"from":"member","to":"admin"}' }],
  )
})

test('a role that does not exist, and a person who is no member, are refused by name', async (t) => {
  const { store } = await startOperator(t)
  const wanted = { email: 'ana@acme.example', role: 'chief' }
  const message = '"chief" is not a role; choose one of owner, admin, member'
  await assert.rejects(addMember(store, 'acme', wanted, 'test', AT), { name: 'InvalidValueError', message })
  await assert.rejects(
    changeRole(store, 'acme', { ...wanted, role: 'admin' }, 'test'),
    /ana@acme\.example is not a member/,
  )
  await assert.rejects(removeMember(store, 'acme', 'ana@acme.example', 'test'), /ana@acme\.example is not a member/)
})
