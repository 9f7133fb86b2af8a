import assert from 'node:assert/strict'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { backupDatabase, openOperatorStore, openSettingsStore, parseDatabaseUrl } from '../../../src/database/open.ts'
import type { OperatorStore } from '../../../src/database/store.ts'
import { resources } from '../../../src/resources/index.ts'
import { createWorkspace } from '../../support/changes.ts'
import { program } from '../../support/program.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { waitUntil } from '../../support/wait.ts'

test('while the file is deleted or replaced, nothing is admitted; the same file, put back, is served again', async (t) => {
  const vitrine = program(t)
  const file = join(vitrine.folder, 'vitrine.db')
  const inFolder = (name: string) => join(vitrine.folder, name)
  vitrine.env.DATABASE_URL = `sqlite:${file}`
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  await vitrine.ok('backup', 'backup.db')
  const key = await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x')
  const server = await vitrine.start('serve')
  const statuses = () =>
    Promise.all(
      ['/workspace', '/tasks', '/readyz', '/healthz'].map(async (path) => {
        const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } })
        await response.text()
        return response.status
      }),
    )
  assert.deepEqual(await statuses(), [200, 200, 200, 200])
  renameSync(file, inFolder('away.db'))
  assert.deepEqual(await statuses(), [500, 500, 503, 200])
  renameSync(inFolder('backup.db'), file)
  assert.deepEqual(await statuses(), [500, 500, 503, 200])
  await waitUntil(() => server.output().includes('the database was deleted or replaced; restart the server'))
  renameSync(inFolder('away.db'), file)
  assert.deepEqual(await statuses(), [200, 200, 200, 200])
})

test('without its write-ahead log, in which it would not see a revocation, the server admits nothing', async (t) => {
  const vitrine = program(t)
  vitrine.env.DATABASE_URL = 'sqlite:vitrine.db'
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  const key = await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x')
  const server = await vitrine.start('serve')
  const statusOf = async (path: string) =>
    (await fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } })).status
  assert.equal(await statusOf('/workspace'), 200)
  for (const name of ['vitrine.db-wal', 'vitrine.db-shm']) rmSync(join(vitrine.folder, name))
  const [id = ''] = (await vitrine.ok('key', 'list', '--workspace', 'acme')).match(/key_\w+/) ?? []
  await vitrine.ok('key', 'revoke', id)
  assert.deepEqual([await statusOf('/workspace'), await statusOf('/readyz')], [500, 503])
})

test('neither the settings nor a command confirms a change to a file that was deleted or replaced', async (t) => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'vitrine.db')
  const database = parseDatabaseUrl(`sqlite:${file}`)
  const command = await openOperatorStore(database, resources, { create: true })
  const settings = await openSettingsStore(database, resources)
  t.after(async () => {
    await command.close()
    await settings?.close()
  })
  const create = (store: OperatorStore | undefined, slug: string) =>
    store && createWorkspace(store, { name: slug, slug }, 'test', new Date().toISOString())
  await create(command, 'one')
  await create(settings, 'two')
  await backupDatabase(database, join(folder, 'backup.db'))
  renameSync(join(folder, 'backup.db'), file)
  for (const store of [command, settings])
    await assert.rejects(
      async () => create(store, 'three'),
      /the database was deleted or replaced in the meantime; try again/,
    )
})
