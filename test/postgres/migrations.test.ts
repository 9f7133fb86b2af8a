import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createWorkspace } from '../../src/intake/workspaces.ts'
import { openOperatorStore, parseDatabaseUrl } from '../../src/storage/open.ts'
import { connectElsewhere, freshDatabaseUrl, skipWithoutPostgres } from '../support/database.ts'

const options = skipWithoutPostgres()

test('programs that start at once on an empty database migrate it once', options, async (t) => {
  const url = await freshDatabaseUrl(t, 'postgres')
  const stores = await Promise.all(
    Array.from({ length: 6 }, () => openOperatorStore(parseDatabaseUrl(url), { create: true })),
  )
  for (const store of stores) await store.close()
  const elsewhere = await connectElsewhere(url)
  t.after(() => elsewhere.close())
  assert.deepEqual(await elsewhere.all('SELECT number FROM migrations'), [{ number: 1 }, { number: 2 }])
})

test('a database newer than the program is refused with a clear line', options, async (t) => {
  const url = await freshDatabaseUrl(t, 'postgres')
  await (await openOperatorStore(parseDatabaseUrl(url), { create: true })).close()
  const elsewhere = await connectElsewhere(url)
  t.after(() => elsewhere.close())
  await elsewhere.run('INSERT INTO migrations (number) VALUES (999)')
  await assert.rejects(openOperatorStore(parseDatabaseUrl(url), { create: true }), {
    name: 'StorageError',
    message: /^the database was written by a newer Vitrine \(schema 999, this program knows 2\); update the program$/,
  })
})

test('what keeps it from its database is told in words, without the password', options, async (t) => {
  const url = new URL(await freshDatabaseUrl(t, 'postgres'))
  url.password = 'hunter2'
  url.pathname = '/nowhere'
  await assert.rejects(openOperatorStore(parseDatabaseUrl(url.href), { create: true }), (error: Error) => {
    assert.equal(error.name, 'StorageError')
    assert.equal(error.message, 'the database in DATABASE_URL does not exist; make it with createdb')
    return true
  })
  url.port = '1'
  await assert.rejects(openOperatorStore(parseDatabaseUrl(url.href), { create: true }), {
    message: /^PostgreSQL refuses connections at the address in DATABASE_URL/,
  })
})

test('settings in the URL neither replace ours nor change the time', options, async (t) => {
  const url = new URL(await freshDatabaseUrl(t, 'postgres'))
  url.searchParams.set('options', '-c TimeZone=Asia/Kolkata -c statement_timeout=0')
  const store = await openOperatorStore(parseDatabaseUrl(url.href), { create: true })
  t.after(() => store.close())
  const now = '2026-11-15T12:00:00.000Z'
  const made = await createWorkspace(store, { name: 'A', slug: 'a' }, 'test', now)
  const [read] = await store.transaction((tx) => tx.workspaces())
  assert.deepEqual(read, made)
})
