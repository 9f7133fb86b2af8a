import assert from 'node:assert/strict'
import { Keys } from '../../../src/keys/life-cycle.ts'
import { connectElsewhere, testWithPostgres as test } from '../../support/database.ts'
import { migratedDatabaseUrl } from '../../support/migrated-database.ts'
import { startOperator } from '../../support/operator.ts'
import { openStore } from '../../support/stores.ts'
import { waitUntil } from '../../support/wait.ts'

const HOUR_MS = 3_600_000

test('cancelling a rotation also revokes the key that another replica creates meanwhile, by rotating the new one', async (t) => {
  const url = await migratedDatabaseUrl(t, 'postgres')
  const { keys, createKey } = await startOperator(t, url)
  const replica = await openStore(t, url)
  const observer = await connectElsewhere(url, t)
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
  const waiting = `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
  await waitUntil(async () => (await observer.all(waiting)).length > 0)
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
