import assert from 'node:assert/strict'
import { openOperatorStore, parseDatabaseUrl } from '../../../src/database/open.ts'
import { resources } from '../../../src/resources/index.ts'
import { listWorkspaces } from '../../../src/workspaces/records.ts'
import { createWorkspace } from '../../support/changes.ts'
import { freshDatabaseUrl, testWithPostgres as test } from '../../support/database.ts'
import { openStore } from '../../support/operator.ts'
import { withClient } from '../../support/postgres-server.ts'
import { waitUntil } from '../../support/wait.ts'

test('a statement that PostgreSQL cancels is explained, and a timeout of the role does not end commands', async (t) => {
  const url = await freshDatabaseUrl(t, 'postgres')
  await (await openOperatorStore(parseDatabaseUrl(url), resources, { create: true })).close()
  const list = async (option: string) => {
    const impatient = parseDatabaseUrl(`${url}?options=${encodeURIComponent(`-c ${option}=200ms`)}`)
    const store = await openOperatorStore(impatient, resources, { create: true })
    try {
      await store.read((tx) => listWorkspaces(tx))
    } finally {
      await store.close()
    }
  }
  await withClient(url, async (blocker) => {
    await blocker.query('BEGIN; LOCK TABLE vitrine.workspaces IN ACCESS EXCLUSIVE MODE')
    await assert.rejects(list('lock_timeout'), { name: 'StorageError', message: /ALTER ROLE … SET lock_timeout$/ })
    const cancelled = assert.rejects(list('statement_timeout'), { name: 'StorageError', message: /cancelled a stat/ })
    const waiting = `datname = current_database() AND wait_event_type = 'Lock'
      AND clock_timestamp() - query_start > interval '400ms'`
    const cancel = `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE ${waiting}`
    // In another session: within a transaction, pg_stat_activity keeps showing what it showed first.
    await withClient(url, (other) => waitUntil(async () => (await other.query(cancel)).rowCount === 1))
    await cancelled
  })
})

test('settings in the URL neither replace ours nor change the time', async (t) => {
  const url = new URL(await freshDatabaseUrl(t, 'postgres'))
  url.searchParams.set('options', '-c TimeZone=Asia/Kolkata -c statement_timeout=0')
  const store = await openStore(t, url.href)
  const now = '2026-11-15T12:00:00.000Z'
  const made = await createWorkspace(store, { name: 'A', slug: 'a' }, 'test', now)
  const [read] = await store.transaction((tx) => listWorkspaces(tx))
  assert.deepEqual(read, made)
})
