import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOperatorStore, parseDatabaseUrl } from '../../../src/database/open.ts'
import { resources } from '../../../src/resources/index.ts'
import { listWorkspaces } from '../../../src/resources/workspace/records.ts'
import { createWorkspace } from '../../../src/resources/workspace/workspaces.ts'
import { freshDatabaseUrl, skipWithoutPostgres } from '../../support/database.ts'

const options = skipWithoutPostgres()
test('what keeps it from its database is told in words, without the password', options, async (t) => {
  const url = new URL(await freshDatabaseUrl(t, 'postgres'))
  url.password = 'hunter2'
  url.pathname = '/nowhere'
  await assert.rejects(openOperatorStore(parseDatabaseUrl(url.href), resources, { create: true }), (error: Error) => {
    assert.equal(error.name, 'StorageError')
    assert.equal(error.message, 'the database in DATABASE_URL does not exist; create it with createdb')
    return true
  })
  url.port = '1'
  await assert.rejects(openOperatorStore(parseDatabaseUrl(url.href), resources, { create: true }), {
    message: /^PostgreSQL refuses connections at the address in DATABASE_URL/,
  })
})

test('settings in the URL neither replace ours nor change the time', options, async (t) => {
  const url = new URL(await freshDatabaseUrl(t, 'postgres'))
  url.searchParams.set('options', '-c TimeZone=Asia/Kolkata -c statement_timeout=0')
  const store = await openOperatorStore(parseDatabaseUrl(url.href), resources, { create: true })
  t.after(() => store.close())
  const now = '2026-11-15T12:00:00.000Z'
  const made = await createWorkspace(store, { name: 'A', slug: 'a' }, 'test', now)
  const [read] = await store.transaction((tx) => listWorkspaces(tx))
  assert.deepEqual(read, made)
})
