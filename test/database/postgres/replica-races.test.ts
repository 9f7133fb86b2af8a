/** What one replica does while another's transaction holds a lock that it needs. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { Keys } from '../../../src/keys/life-cycle.ts'
import { findMember } from '../../../src/members/records.ts'
import { createMemberLink, signInWithLink } from '../../../src/members/sign-in-link.ts'
import { addMember, createSignInLink } from '../../support/changes.ts'
import { connectElsewhere, testWithPostgres as test } from '../../support/database.ts'
import { migratedDatabaseUrl } from '../../support/migrated-database.ts'
import { openStore, startOperator } from '../../support/operator.ts'
import { Browser, KEYS, openEditForm, openForm, signedIn, tokenIn, typedIn } from '../../support/person.ts'
import { startReplica } from '../../support/replicas.ts'
import { startService } from '../../support/service.ts'
import { waitUntil } from '../../support/wait.ts'

/** Waits until sessions of this database wait for a lock. */
async function untilWaiting(t: TestContext, url: string, sessions = 1) {
  // A session of its own: within a transaction, pg_stat_activity keeps showing what it showed first.
  const observer = await connectElsewhere(url, t)
  const waiting = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
  await waitUntil(async () => (await observer.all(waiting)).length >= sessions)
}

test('signing in while another replica removes the person waits for it, without a deadlock, and creates no session', async (t) => {
  const url = await migratedDatabaseUrl(t, 'postgres')
  const { store } = await startOperator(t, url)
  const email = 'ana@acme.example'
  await addMember(store, 'acme', { email, role: 'member' }, 'test', new Date().toISOString())
  const token = await createSignInLink(store, { email }, 'test')
  const replica = await connectElsewhere(url, t)

  // As removeMember does.
  await replica.run('BEGIN')
  await replica.run(`DELETE FROM members WHERE email = '${email}'`)
  const signedIn = store.transaction((tx) => signInWithLink(tx, token, { device: 'test' }))
  await untilWaiting(t, url)
  await replica.run(`DELETE FROM sessions WHERE email = '${email}'`)
  await replica.run(`DELETE FROM tickets WHERE kind = 'link' AND subject = '${email}'`)
  await replica.run('COMMIT')

  assert.equal(await signedIn, undefined)
  assert.deepEqual(await replica.all('SELECT email FROM sessions'), [])
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
  const replica = await connectElsewhere(url, t)

  // As changeRole does.
  await replica.run('BEGIN')
  await replica.run(`SELECT pg_advisory_xact_lock(hashtextextended('members of ${workspaceId}', 0))`)
  await replica.run(`UPDATE members SET role = 'member' WHERE email = '${eve}'`)
  const signedIn = store.transaction((tx) => signInWithLink(tx, token, { device: 'test' }))
  await Promise.race([signedIn, untilWaiting(t, url)])
  await replica.run('COMMIT')

  assert.equal(await signedIn, undefined)
  assert.deepEqual(await replica.all('SELECT email FROM sessions'), [])
})

const HOUR_MS = 3_600_000

test('cancelling a rotation also revokes the key that another replica creates meanwhile, by rotating the new one', async (t) => {
  const url = await migratedDatabaseUrl(t, 'postgres')
  const { keys, createKey } = await startOperator(t, url)
  const replica = await openStore(t, url)
  const { id } = await createKey()
  const { key: first } = await keys.rotate(id, HOUR_MS)

  const commit = Promise.withResolvers<void>()
  const hasRotated = Promise.withResolvers<void>()
  const rotated = replica.transaction(async (tx) => {
    const { key } = await new Keys(tx, 'test').rotate(first.id, HOUR_MS)
    hasRotated.resolve()
    await commit.promise
    return key
  })
  await hasRotated.promise
  const cancelled = keys.cancelRotation(id)
  await untilWaiting(t, url)
  commit.resolve()

  const second = await rotated
  assert.deepEqual(
    (await cancelled).revoked.map((each) => each.id),
    [first.id, second.id],
  )
  const works = (await keys.list('acme')).filter(({ revokedAt }) => revokedAt === null)
  assert.deepEqual(
    works.map((each) => each.id),
    [id],
  )
})

test('a form that arrives while another replica changes the key is shown the change', async (t) => {
  const service = await startService(t, { engine: 'postgres' })
  const browser = await signedIn(service)
  const { id } = await service.createKey({ label: 'report' })
  const form = await openEditForm(browser, id)
  const replica = await connectElsewhere(service.databaseUrl, t)

  await replica.run('BEGIN')
  await replica.run(`UPDATE vitrine.api_keys SET label = 'weekly' WHERE id = '${id}'`)
  const sent = browser.submit(`${KEYS}/${id}/edit`, { ...form, label: 'monthly' })
  await untilWaiting(t, service.databaseUrl)
  await replica.run('COMMIT')

  const response = await sent
  assert.match(response.text, /weekly/)
  assert.equal(typedIn(response.text, 'label'), 'monthly')
  assert.equal((await service.keys.list('acme')).find((key) => key.id === id)?.label, 'weekly')
})

test('if two replicas process the same form, one creates a key, and the other reports it', async (t) => {
  const service = await startService(t, { engine: 'postgres' })
  const replica = await startReplica(t, { DATABASE_URL: service.databaseUrl }, () => service.time.now)
  const owner = await signedIn(service)
  const there = new Browser(replica.url)
  for (const [name, value] of owner.cookies) there.cookies.set(name, value)
  const { csrf, once } = await openForm(owner, `${KEYS}/new`)
  const form = { csrf, once, label: 'sent twice', permissions: 'tasks:read', expiry: '90' }

  // One finds that the form is new and waits where it creates the key; the other waits for the form's ticket.
  const other = await connectElsewhere(service.databaseUrl, t)
  await other.run('BEGIN; LOCK TABLE api_keys IN SHARE MODE')
  const responses = [owner.post(KEYS, form), there.post(KEYS, form)]
  await untilWaiting(t, service.databaseUrl, 2)
  await other.run('COMMIT')

  const sent = await Promise.all(responses)
  assert.deepEqual(sent.map(({ status }) => status).sort(), [200, 409])
  assert.equal(sent.filter((response) => tokenIn(response) !== '').length, 1)
  assert.equal((await other.all(`SELECT id FROM api_keys WHERE label = 'sent twice'`)).length, 1)
})
