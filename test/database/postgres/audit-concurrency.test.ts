import assert from 'node:assert/strict'
import { appendAudit, newestEntries } from '../../../src/audit/log.ts'
import { verifyChain } from '../../../src/audit/verify.ts'
import type { Transaction } from '../../../src/database/store.ts'
import { connectElsewhere, testWithPostgres as test } from '../../support/database.ts'
import { migratedDatabaseUrl } from '../../support/migrated-database.ts'
import { openStore } from '../../support/stores.ts'
import { waitUntil } from '../../support/wait.ts'

const note = (workspaceId: string, actor: string) => (tx: Transaction) =>
  appendAudit(tx, { at: '2026-11-15T12:00:00.000Z', workspaceId, actor, action: 'x', subject: 'y', detail: {} })

test('a writer waits for the previous writer in the same workspace, and only there', async (t) => {
  const url = await migratedDatabaseUrl(t, 'postgres')
  const [first, second, third] = [await open(), await open(), await open()]
  async function open() {
    const store = await openStore(t, url)
    return store
  }
  const elsewhere = await connectElsewhere(url, t)
  const waiting = () =>
    elsewhere.all(`SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`)

  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: written, resolve: hasWritten } = Promise.withResolvers<void>()
  const one = first.transaction(async (tx) => {
    await note('w', 'one')(tx)
    hasWritten()
    await released
  })
  await written
  await third.transaction(note('v', 'three'))
  const two = second.transaction(note('w', 'two'))
  await waitUntil(async () => (await waiting()).length > 0)
  release()
  await Promise.all([one, two])

  const trail = await third.read((tx) => newestEntries(tx, 'w', 10))
  assert.deepEqual(
    trail.map(({ number, actor }) => [number, actor]),
    [
      [2, 'two'],
      [1, 'one'],
    ],
  )
  for (const workspaceId of ['w', 'v'])
    assert.equal((await third.read((tx) => verifyChain(tx, workspaceId))).fault, null)
})

test('a rolled-back change leaves no gap in the chain', async (t) => {
  const url = await migratedDatabaseUrl(t, 'postgres')
  const store = await openStore(t, url)
  for (const isUndone of [false, true, false])
    await store
      .transaction(async (tx) => {
        await note('w', 'x')(tx)
        if (isUndone) throw new Error('undone')
      })
      .catch((error: Error) => assert.equal(error.message, 'undone'))
  const { fault, entries } = await store.read((tx) => verifyChain(tx, 'w'))
  assert.deepEqual([fault, entries], [null, 2])
})
