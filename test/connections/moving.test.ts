// On both engines: tokens survive a copy between the engines.
/** Connections survive a copy and a backup of the database, and end with their keys. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { backupDatabase, parseDatabaseUrl, restoreDatabase } from '../../src/database/open.ts'
import { purgeKeys } from '../../src/keys/purge.ts'
import { hashToken } from '../../src/lib/key-format.ts'
import { resources } from '../../src/resources/index.ts'
import { connector, granted, refused, startConnecting } from '../support/connector.ts'
import { freshDatabaseUrl, testOnly } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { openStore, servedStore } from '../support/stores.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

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

testOnly('sqlite')('after a restore, the client continues with its tokens; earlier codes are void', async (t) => {
  const { url: original, issue, connect, time } = await startConnecting(t)
  time.now = Date.now()
  const [{ key, response }, code] = [await connect(), await issue()]
  const backup = join(temporaryFolder(t), 'backup.db')
  await backupDatabase(parseDatabaseUrl(original), backup)
  const url = await freshDatabaseUrl(t)
  await restoreDatabase(parseDatabaseUrl(url), resources, backup)
  const restored = connector(await openStore(t, url), time)
  const served = await servedStore(t, url)
  assert.equal((await served.admit(hashToken(response.access_token)))?.keyId, key.id)
  granted(await restored.refresh(response.refresh_token))
  refused(await restored.redeem(code), /is unknown/)
})

test("when an ended key is removed, so are its tokens, and other keys' tokens stay", async (t) => {
  const { store, connect, keys, tokens, time } = await startConnecting(t)
  const [ended] = [await connect(), await connect()]
  await keys.revoke(ended.key.id)
  await purgeKeys(store, time.now + 1, 'test')
  assert.equal((await tokens()).length, 3)
})
