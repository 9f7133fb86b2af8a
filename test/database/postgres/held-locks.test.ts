/** Any role that may connect can hold one of our advisory locks: the wait is bounded, and the message names the holder. */
import assert from 'node:assert/strict'
import { openSettingsStore, parseDatabaseUrl } from '../../../src/database/open.ts'
import { takeLock } from '../../../src/database/postgres/transaction.ts'
import { lockMembers } from '../../../src/members/members.ts'
import { resources } from '../../../src/resources/index.ts'
import { testWithPostgres as test } from '../../support/database.ts'
import { startWithRoles } from '../../support/documented-roles.ts'
import { migratedDatabaseUrl } from '../../support/migrated-database.ts'
import { withClient } from '../../support/postgres-server.ts'
import { program } from '../../support/program.ts'
import { openStore } from '../../support/stores.ts'

test('the wait for a lock held by a role that may only connect is bounded, and the message names it', async (t) => {
  const { as, workspace } = await startWithRoles(t)
  const operatorUrl = as('vitrine_operator')
  const settings = await openSettingsStore(parseDatabaseUrl(operatorUrl), resources)
  assert.ok(settings)
  t.after(() => settings.close())
  const member = ['--workspace', 'acme', '--email', 'ana@x.example', '--role', 'owner']
  const add = () => program(t, { DATABASE_URL: operatorUrl }).run('member', 'add', ...member)
  await withClient(as('stranger'), async (stranger) => {
    const { rows } = await stranger.query<{ pid: number }>(`SELECT pg_backend_pid() AS pid,
      pg_advisory_lock(hashtextextended('members of ${workspace.id}', 0)), pg_advisory_lock(4711), pg_advisory_lock(-4711)`)
    const named = new RegExp(`process ${rows[0]?.pid} of the role stranger has held a lock that Vitrine needs for over`)
    const { code, stderr } = await add()
    assert.equal(code, 1)
    assert.match(stderr, named)
    await assert.rejects(
      settings.transaction((tx) => lockMembers(tx, workspace.id)),
      { name: 'StoreBusyError', message: named },
    )
    await withClient(operatorUrl, async (client) => {
      for (const number of [4711, -4711]) {
        await client.query('BEGIN')
        assert.match((await takeLock(client, number, 10)) ?? '', named)
        assert.deepEqual(
          (await client.query('SHOW lock_timeout')).rows,
          [{ lock_timeout: '0' }],
          'and the transaction continues',
        )
        await client.query('COMMIT')
      }
    })
  })
  assert.equal((await add()).code, 0)
})

test('a lock that is released in time is taken', async (t) => {
  const { as, asSuperuser } = await startWithRoles(t)
  await withClient(as('stranger'), (first) =>
    withClient(as('stranger'), async (second) => {
      for (const client of [first, second]) await client.query('BEGIN')
      assert.equal(await takeLock(first, 'turn', 1), undefined)
      const taken = takeLock(second, 'turn', 600_000)
      const waiting = `SELECT FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()`
      while ((await asSuperuser(waiting)).length === 0);
      await first.query('COMMIT')
      assert.equal(await taken, undefined)
      assert.deepEqual((await second.query('SHOW lock_timeout')).rows, [{ lock_timeout: '0' }])
      await second.query('COMMIT')
    }),
  )
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
