import assert from 'node:assert/strict'
import { findMember } from '../../../src/members/records.ts'
import { createMemberLink, signInWithLink } from '../../../src/members/sign-in-link.ts'
import { addMember, createSignInLink } from '../../support/changes.ts'
import { connectElsewhere, testWithPostgres as test } from '../../support/database.ts'
import { migratedDatabaseUrl } from '../../support/migrated-database.ts'
import { startOperator } from '../../support/operator.ts'
import { waitUntil } from '../../support/wait.ts'

test('signing in while another replica removes the person waits for it, without a deadlock, and creates no session', async (t) => {
  const url = await migratedDatabaseUrl(t, 'postgres')
  const { store } = await startOperator(t, url)
  const email = 'ana@acme.example'
  await addMember(store, 'acme', { email, role: 'member' }, 'test', new Date().toISOString())
  const token = await createSignInLink(store, { email }, 'test')
  const [replica, observer] = [await connectElsewhere(url), await connectElsewhere(url)]
  t.after(() => Promise.all([replica.close(), observer.close()]))

  // As removeMember does.
  await replica.run('BEGIN')
  await replica.run(`DELETE FROM members WHERE email = '${email}'`)
  const signedIn = store.transaction((tx) => signInWithLink(tx, token, undefined))
  const waiting = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
  await waitUntil(async () => (await observer.all(waiting)).length > 0)
  await replica.run(`DELETE FROM sessions WHERE email = '${email}'`)
  await replica.run(`DELETE FROM tickets WHERE kind = 'link' AND subject = '${email}'`)
  await replica.run('COMMIT')

  assert.equal(await signedIn, undefined)
  assert.deepEqual(await observer.all('SELECT email FROM sessions'), [])
})

test('a link whose creator is demoted on another replica waits for it, and opens no session', async (t) => {
  const url = await migratedDatabaseUrl(t, 'postgres')
  const { store } = await startOperator(t, url)
  const [ana, eve] = ['ana@acme.example', 'eve@acme.example']
  const at = new Date().toISOString()
  for (const email of [ana, eve]) await addMember(store, 'acme', { email, role: 'admin' }, 'test', at)
  const { workspaceId, token } = await store.transaction(async (tx) => {
    const [{ id = '' } = {}] = await tx.all<{ id: string }>(`SELECT id FROM workspaces WHERE slug = 'acme'`)
    const member = await findMember(tx, id, ana)
    assert.ok(member)
    const place = { workspaceId: id, slug: 'acme' }
    const link = await createMemberLink(tx, place, member, { email: eve, role: 'admin' })
    return { workspaceId: id, token: link.token }
  })
  const [replica, observer] = [await connectElsewhere(url), await connectElsewhere(url)]
  t.after(() => Promise.all([replica.close(), observer.close()]))

  // As changeRole does.
  await replica.run('BEGIN')
  await replica.run(`SELECT pg_advisory_xact_lock(hashtextextended('members of ${workspaceId}', 0))`)
  await replica.run(`UPDATE members SET role = 'member' WHERE email = '${eve}'`)
  let isDone = false
  const signedIn = store
    .transaction((tx) => signInWithLink(tx, token, undefined))
    .finally(() => {
      isDone = true
    })
  const waiting = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
  await waitUntil(async () => isDone || (await observer.all(waiting)).length > 0)
  await replica.run('COMMIT')

  assert.equal(await signedIn, undefined)
  assert.deepEqual(await observer.all('SELECT email FROM sessions'), [])
})
