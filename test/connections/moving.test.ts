// On both engines: tokens survive a copy between the engines.
/** Connections survive a copy and a backup of the database, and end with their keys. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { purgeKeys } from '../../src/keys/purge.ts'
import { hashToken } from '../../src/lib/key-format.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { openStore, servedStore } from '../support/operator.ts'
import { connector, granted, refused, startConnecting } from './connector.ts'

test('after a copy to another database, the client continues with its tokens, and a replay is detected', async (t) => {
  const { store, connect, refresh, time } = await startConnecting(t)
  time.now = Date.now()
  const { key, response } = await connect()
  const next = granted(await refresh(response.refresh_token)).response
  const url = await migratedDatabaseUrl(t)
  const copy = await openStore(t, url)
  await copy.load(store.dump())
  const served = await servedStore(t, url)
  assert.equal((await served.admit(hashToken(next.access_token)))?.keyId, key.id)
  const there = connector(copy, time)
  assert.deepEqual(granted(await there.refresh(response.refresh_token)).response, next)
  granted(await there.refresh(next.refresh_token))
  time.now += 60_001
  refused(await there.refresh(response.refresh_token), /was used before/)
})

test("when an ended key is removed, so are its tokens, and other keys' tokens stay", async (t) => {
  const { store, connect, keys, tokens, time } = await startConnecting(t)
  const [ended] = [await connect(), await connect()]
  await keys.revoke(ended.key.id)
  await purgeKeys(store, time.now + 1, 'test')
  assert.equal((await tokens()).length, 3)
})
