import assert from 'node:assert/strict'
import { test } from 'node:test'
import { membershipsOf } from '../../src/members/records.ts'
import { signIn } from '../../src/members/sessions.ts'
import { insertPending, insertTicket } from '../../src/members/tickets.ts'
import { addMember, createSignInLink, createWorkspace } from '../support/changes.ts'
import { connectElsewhere } from '../support/database.ts'
import { startService } from '../support/service.ts'

test('audit entries of several workspaces are written in the order of their ids, so that no two deadlock', async (t) => {
  const { operator, databaseUrl, time } = await startService(t)
  const now = new Date(time.now).toISOString()
  const email = 'a@acme.example'
  for (let i = 0; i < 6; i++) {
    await createWorkspace(operator, { name: `W${i}`, slug: `w${i}` }, 'test', now)
    await addMember(operator, `w${i}`, { email, role: 'owner' }, 'test', now)
  }
  const memberships = await operator.read((tx) => membershipsOf(tx, email))
  await operator.transaction((tx) => signIn(tx, { email, method: { by: 'link' }, workspaceId: null }))
  await createSignInLink(operator, { email }, 'test')
  const elsewhere = await connectElsewhere(databaseUrl, t)
  const ids = memberships.map(({ workspaceId }) => workspaceId).sort()
  const written = await elsewhere.all<{ workspace_id: string }>(
    `SELECT workspace_id FROM audit WHERE action IN ('session.started', 'member.link_made') ORDER BY id`,
  )
  assert.deepEqual(
    written.map(({ workspace_id }) => workspace_id),
    [...ids, ...ids],
  )
})

test('a ticket stored after an audit entry touches no other ticket, which another transaction could be deleting', async (t) => {
  const { operator, databaseUrl } = await startService(t)
  const elsewhere = await connectElsewhere(databaseUrl, t)
  const hashes = async () =>
    (await elsewhere.all<{ hash: string }>('SELECT hash FROM tickets ORDER BY hash')).map(({ hash }) => hash)
  const ticket = (letter: string) => ({ hash: letter.repeat(64), kind: 'form' as const, subject: '', detail: {} })
  await operator.transaction((tx) => insertTicket(tx, ticket('a'), -1000))
  await operator.transaction((tx) => insertTicket(tx, ticket('b'), 60_000))
  assert.deepEqual(await hashes(), ['a'.repeat(64), 'b'.repeat(64)])
  await operator.transaction((tx) => insertPending(tx, ticket('c'), 60))
  assert.deepEqual(await hashes(), ['b'.repeat(64), 'c'.repeat(64)], 'those that are stored first delete expired ones')
})
