import assert from 'node:assert/strict'
import { copyFileSync, statSync, truncateSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { openOperatorStore, parseDatabaseUrl } from '../../../src/database/open.ts'
import { watchFile } from '../../../src/database/sqlite/files/file-watch.ts'
import { eraseWorkspace } from '../../../src/provisioning/delete-workspace.ts'
import { resources } from '../../../src/resources/index.ts'
import { createWorkspace } from '../../support/changes.ts'
import { migratedDatabaseUrl } from '../../support/migrated-database.ts'
import { openStore } from '../../support/stores.ts'

/** A database with an audit entry, a connection such as a server's that stays open, and another program's. */
async function opened(t: TestContext) {
  const create = async () => {
    const url = await migratedDatabaseUrl(t, 'sqlite')
    const store = await openOperatorStore(parseDatabaseUrl(url), resources, { create: true })
    await createWorkspace(store, { name: 'Acme', slug: 'acme' }, 'test', new Date().toISOString())
    await store.close()
    return url.replace('sqlite:', '')
  }
  const file = await create()
  const [server, tool] = [new DatabaseSync(file), new DatabaseSync(file)]
  for (const db of [server, tool]) {
    db.exec('PRAGMA wal_autocheckpoint = 0; SELECT 1 FROM workspaces')
    t.after(() => db.close())
  }
  return { file, create, server, tool }
}

function watching(t: TestContext, file: string, server: Pick<DatabaseSync, 'prepare'>) {
  const told: (string | undefined)[] = []
  const watch = watchFile(file, server as DatabaseSync, (fault) => told.push(fault?.message))
  t.after(() => watch.close())
  return { watch, told }
}

const OVERWRITTEN = 'the database file was truncated or overwritten'
const fill =
  "INSERT INTO zz SELECT hex(randomblob(1000)) FROM (SELECT value FROM json_each('[' || substr(replace(hex(zeroblob(ROWS)), '00', ',0'), 2) || ']'))"
const rows = (n: number) => fill.replace('ROWS', String(n))

/** Each step separately, with or without polls in between. */
const shrinking = [
  'DELETE FROM zz',
  'VACUUM',
  'PRAGMA wal_checkpoint(PASSIVE)',
  rows(50),
  'PRAGMA wal_checkpoint(PASSIVE)',
  rows(50),
]

test('a database that is vacuumed and grows again is never mistaken for a truncated one, whenever it is polled', async (t) => {
  for (let polls = 0; polls < 2 ** shrinking.length; polls++) {
    const { file, server, tool } = await opened(t)
    tool.exec(`CREATE TABLE zz (a); ${rows(200)}; PRAGMA wal_checkpoint(TRUNCATE)`)
    const before = statSync(file).size
    const { watch, told } = watching(t, file, server)
    for (const [i, sql] of shrinking.entries()) {
      tool.exec(sql)
      if ((polls >> i) & 1) watch.poll()
    }
    watch.poll()
    assert.deepEqual(told, [], `polled after the steps ${polls.toString(2)}`)
    assert.ok(statSync(file).size < before)
  }
})

test("pages added by the server's own records neither hide a truncation nor look like one", async (t) => {
  const { file, server, tool } = await opened(t)
  tool.exec(`CREATE TABLE zz (a); ${rows(50)}; PRAGMA wal_checkpoint(TRUNCATE)`)
  const { watch, told } = watching(t, file, server)
  server.exec(rows(50))
  watch.poll()
  assert.deepEqual(told, [])
  truncateSync(file, statSync(file).size - 4096)
  watch.poll()
  assert.deepEqual(told, [OVERWRITTEN])
})

test('another database in place of this one is detected even if something was committed at the same moment', async (t) => {
  const { file, create, server, tool } = await opened(t)
  const other = await create()
  const { watch, told } = watching(t, file, server)
  tool.exec('UPDATE workspaces SET name = name; PRAGMA wal_checkpoint(TRUNCATE)')
  copyFileSync(other, file)
  watch.poll()
  assert.deepEqual(told, [OVERWRITTEN])
})

test('an overwritten file is detected after a resource was dropped, too', async (t) => {
  const { file, server, tool } = await opened(t)
  const { watch, told } = watching(t, file, server)
  tool.exec(`DROP TABLE tasks; DELETE FROM resource_tables WHERE name = 'tasks'; PRAGMA wal_checkpoint(TRUNCATE)`)
  watch.poll()
  copyFileSync(file, `${file}-before`)
  tool.exec(`
    INSERT INTO audit SELECT 1 + max(id), '2026-11-15T00:00:00.000Z', workspace_id, 'a', 'b', 'c', '{}', number + 1, hash, 'x' FROM audit;
    PRAGMA wal_checkpoint(TRUNCATE)`)
  watch.poll()
  assert.deepEqual(told, [])
  copyFileSync(`${file}-before`, file)
  watch.poll()
  assert.deepEqual(told, [OVERWRITTEN])
})

test('a recorded table that is missing keeps neither the watch from starting nor overwrites from being detected', async (t) => {
  const { file, server, tool } = await opened(t)
  tool.exec('DROP TABLE tasks; PRAGMA wal_checkpoint(TRUNCATE)')
  const { watch, told } = watching(t, file, server)
  watch.poll()
  assert.deepEqual(told, [])
  truncateSync(file, 4096)
  watch.poll()
  assert.deepEqual(told, [OVERWRITTEN])
})

test('removing all audit entries because of their age does not look like another database', async (t) => {
  const { file, server, tool } = await opened(t)
  const { watch, told } = watching(t, file, server)
  tool.exec(`
    UPDATE audit_heads SET trimmed_number = number, trimmed_hash = hash;
    DELETE FROM audit;
    INSERT INTO audit SELECT 1, '2026-11-15T00:00:00.000Z', workspace_id, 'a', 'b', 'c', '{}', number + 1, hash, 'x' FROM audit_heads;
    UPDATE audit_heads SET number = number + 1, hash = 'x';
    VACUUM`)
  watch.poll()
  assert.deepEqual(told, [])
  tool.exec('UPDATE workspaces SET name = name')
  watch.poll()
  assert.deepEqual(told, [])
})

test('erasing a workspace with its whole audit log does not look like another database', async (t) => {
  const { file, server } = await opened(t)
  const { watch, told } = watching(t, file, server)
  const store = await openStore(t, `sqlite:${file}`)
  const [workspace] = await store.read((tx) => tx.all<{ id: string }>('SELECT id FROM workspaces'))
  await store.transaction((tx) => tx.run('DELETE FROM workspaces'))
  await eraseWorkspace(store, workspace?.id ?? '')
  watch.poll()
  assert.deepEqual(told, [])
})

test('a disk that failed once is checked again; a file that ends too early is lost', async (t) => {
  const { file, server } = await opened(t)
  let failure: number | undefined
  const failing = {
    prepare(sql: string) {
      const statement = server.prepare(sql)
      const get = () => {
        if (failure === undefined) return statement.get()
        throw Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: failure })
      }
      return { get, all: () => statement.all() } as unknown as StatementSync
    },
  }
  const { watch, told } = watching(t, file, failing)
  failure = 266
  watch.poll()
  watch.poll()
  failure = undefined
  watch.poll()
  assert.deepEqual(told, ['the database file cannot be read', undefined])
  failure = 522
  watch.poll()
  failure = undefined
  watch.poll()
  assert.deepEqual(told.slice(2), [OVERWRITTEN])
})
