/** Any role that may connect can hold one of our advisory locks: the wait is bounded. */
import assert from 'node:assert/strict'
import { openSettingsStore, parseDatabaseUrl } from '../../../src/database/open.ts'
import { lockMembers } from '../../../src/members/members.ts'
import { resources } from '../../../src/resources/index.ts'
import { testWithPostgres as test } from '../../support/database.ts'
import { migratedDatabaseUrl } from '../../support/migrated-database.ts'
import { openStore } from '../../support/operator.ts'
import { withClient } from '../../support/postgres-server.ts'
import { program } from '../../support/program.ts'
import { startWithRoles } from './documented-roles.ts'

test('the wait for a lock held by a role that may only connect is bounded', async (t) => {
  const { as, workspace } = await startWithRoles(t)
  const operatorUrl = as('vitrine_operator')
  const settings = await openSettingsStore(parseDatabaseUrl(operatorUrl), resources)
  assert.ok(settings)
  t.after(() => settings.close())
  const member = ['--workspace', 'acme', '--email', 'ana@x.example', '--role', 'owner']
  const add = () => program(t, { DATABASE_URL: operatorUrl }).run('member', 'add', ...member)
  await withClient(as('stranger'), async (stranger) => {
    await stranger.query(`SELECT pg_advisory_lock(hashtextextended('members of ${workspace.id}', 0))`)
    const refusal = /another session has held an advisory lock that Vitrine needs for over/
    assert.match(await program(t, { DATABASE_URL: operatorUrl }).fails(1, 'member', 'add', ...member), refusal)
    await assert.rejects(
      settings.transaction((tx) => lockMembers(tx, workspace.id)),
      { name: 'StoreBusyError', message: refusal },
    )
  })
  assert.equal((await add()).code, 0)
})

test('a transaction fails if the lock that its store holds was lost with its connection', async (t) => {
  const url = await migratedDatabaseUrl(t, 'postgres')
  const store = await openStore(t, url)
  await using lock = await store.lock('tracker')
  assert.ok(lock)
  await store.transaction((tx) => tx.run('UPDATE revisions SET number = number'))
  const ended = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE state = 'idle in transaction' AND datname = current_database()`
  await withClient(url, (client) => client.query(ended))
  await assert.rejects(store.transaction((tx) => tx.run('UPDATE revisions SET number = number')))
  const other = await openStore(t, url)
  await using again = await other.lock('tracker')
  assert.ok(again)
})
