import assert from 'node:assert/strict'
import { connectElsewhere, testWithPostgres as test } from '../../support/database.ts'
import { Browser, KEYS, openForm, signedIn, tokenIn } from '../../support/person.ts'
import { startReplica } from '../../support/replicas.ts'
import { startService } from '../../support/service.ts'
import { waitUntil } from '../../support/wait.ts'

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
  const waiting = `SELECT DISTINCT pid FROM pg_locks JOIN pg_database d ON d.oid = database
      WHERE d.datname = current_database() AND NOT granted`
  await waitUntil(async () => (await other.all(waiting)).length === 2)
  await other.run('COMMIT')

  const sent = await Promise.all(responses)
  assert.deepEqual(sent.map(({ status }) => status).sort(), [200, 409])
  assert.equal(sent.filter((response) => tokenIn(response) !== '').length, 1)
  assert.equal((await other.all(`SELECT id FROM api_keys WHERE label = 'sent twice'`)).length, 1)
})
