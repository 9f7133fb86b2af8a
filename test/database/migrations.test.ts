// On both engines: each engine has its own schema.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openOperatorStore, openReadingStore, parseDatabaseUrl } from '../../src/database/open.ts'
import { resources } from '../../src/resources/index.ts'
import { connectElsewhere, engineUnderTest, freshDatabaseUrl, testOnly } from '../support/database.ts'
import { migratedDatabaseUrl } from '../support/migrated-database.ts'
import { startOperator } from '../support/operator.ts'
import { program } from '../support/program.ts'
import { getFrom, startReplica } from '../support/replicas.ts'
import { waitUntil } from '../support/wait.ts'
import { createLastRelease } from './last-release.ts'
import { schemaOf } from './schema-of.ts'

async function start(t: TestContext) {
  const url = await freshDatabaseUrl(t)
  const open = async () => {
    const store = await openOperatorStore(parseDatabaseUrl(url), resources, { create: true })
    await store.close()
  }
  return { url, open, connect: () => connectElsewhere(url, t) }
}

test('a database from before the first release is refused, with the way to upgrade it', async (t) => {
  const { url, open, connect } = await start(t)
  await open()
  const isSqlite = engineUnderTest() === 'sqlite'
  const older = isSqlite
    ? 'PRAGMA user_version = 7'
    : 'DELETE FROM migrations; INSERT INTO migrations (number) VALUES (7)'
  await (await connect()).run(older)
  const refusal = {
    name: 'StorageError',
    message: /has schema 7, which this program cannot upgrade; run 'vitrine migrate' of release 0\.2\.0 first$/,
  }
  await assert.rejects(open(), refusal)
  await assert.rejects(openReadingStore(parseDatabaseUrl(url), resources), refusal)
})

test('a database with a later schema is refused', async (t) => {
  const { open, connect } = await start(t)
  await open()
  const elsewhere = await connect()
  const isSqlite = engineUnderTest() === 'sqlite'
  await elsewhere.run(isSqlite ? 'PRAGMA user_version = 999' : 'INSERT INTO migrations (number) VALUES (999)')
  await assert.rejects(
    open(),
    /was written by a newer Vitrine \(schema 999, this program knows \d+\); update the program$/,
  )
})

for (const from of ['an empty database', 'a database of the last release'])
  test(`programs that start at once on ${from} create one schema`, async (t) => {
    const { url, connect } = await start(t)
    if (from !== 'an empty database') await createLastRelease(url)
    const vitrine = program(t, { DATABASE_URL: url })
    await Promise.all(Array.from({ length: 4 }, () => vitrine.ok('migrate')))
    const fresh = await connectElsewhere(await migratedDatabaseUrl(t), t)
    assert.deepEqual(await schemaOf(await connect()), await schemaOf(fresh))
  })

testOnly('postgres')(
  'a running server continues after a newer one has migrated, even after losing its connections; only a new start is refused',
  async (t) => {
    const url = await migratedDatabaseUrl(t)
    const operator = await startOperator(t, url)
    const { token } = await operator.createKey()
    const replica = await startReplica(t, { DATABASE_URL: url })
    assert.equal((await getFrom(replica, token)).status, 200)
    const newer = await connectElsewhere(url, t)
    await newer.run(`INSERT INTO migrations (number) VALUES (999); ALTER TABLE api_keys ADD COLUMN new_thing text`)
    assert.equal((await getFrom(replica, token)).status, 200)
    await newer.run(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    )
    await waitUntil(async () => (await getFrom(replica, token)).status === 200)
    await assert.rejects(startReplica(t, { DATABASE_URL: url }), /was written by a newer Vitrine/)
  },
)
