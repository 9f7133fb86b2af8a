import assert from 'node:assert/strict'
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { backupDatabase, openOperatorStore, openSettingsStore, parseDatabaseUrl } from '../../../src/database/open.ts'
import type { OperatorStore } from '../../../src/database/store.ts'
import { resources } from '../../../src/resources/index.ts'
import { createWorkspace } from '../../support/changes.ts'
import { logLines, program } from '../../support/program.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { waitUntil } from '../../support/wait.ts'

/** A running server over a file, with a backup of it. */
async function serving(t: TestContext) {
  const vitrine = program(t)
  const file = join(vitrine.folder, 'vitrine.db')
  const inFolder = (name: string) => join(vitrine.folder, name)
  vitrine.env.DATABASE_URL = `sqlite:${file}`
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  await vitrine.ok('backup', 'backup.db')
  const key = await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x')
  const server = await vitrine.start('serve')
  const get = (path: string) => fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } })
  const statusOf = async (path: string) => {
    const response = await get(path)
    const { code } = (await response.json()) as { code?: string }
    return [response.status, code]
  }
  // The server has looked, and remembers what it will be asked for.
  assert.deepEqual(await statusOf('/workspace'), [200, undefined])
  return { vitrine, file, inFolder, server, key, statusOf }
}

const accidents: Record<string, (file: string, inFolder: (name: string) => string) => void> = {
  deleted: (file) => rmSync(file),
  'replaced by a backup of itself': (file, inFolder) => {
    copyFileSync(inFolder('backup.db'), inFolder('new.db'))
    renameSync(inFolder('new.db'), file)
  },
  'robbed of its write-ahead log': (file) => rmSync(`${file}-wal`),
}

const lostLines = (output: string) =>
  logLines(output)
    .filter(({ level }) => level >= 50)
    .map(({ msg }) => msg)

for (const [accident, happen] of Object.entries(accidents))
  test(`a database that is ${accident} under a running server is noticed: not ready, no responses, one line`, async (t) => {
    const { file, inFolder, server, statusOf } = await serving(t)
    happen(file, inFolder)
    // Without any requests, it is still noticed.
    await waitUntil(() => lostLines(server.output()).length > 0)
    for (let i = 0; i < 3; i++) {
      assert.deepEqual(await statusOf('/workspace'), [500, 'internal_error'])
      assert.deepEqual(await statusOf('/tasks'), [500, 'internal_error'])
      assert.deepEqual(await statusOf('/readyz'), [503, 'not_ready'])
    }
    assert.equal((await fetch(`${server.url}/settings/sign-in`)).status, 500)
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200)
    const lines = lostLines(server.output())
    assert.equal(lines.length, 1, JSON.stringify(lines))
    const left = existsSync(file) ? readFileSync(file) : undefined
    assert.equal(await server.stop(), 0)
    assert.deepEqual(existsSync(file) ? readFileSync(file) : undefined, left, 'the stop wrote to what is not its own')
    assert.match(lines[0], /^the database(?:'s -wal)? file was (?:deleted|replaced); requests get 500/)
  })

test('the same file, put back, is served again, and the log reports it', async (t) => {
  const { file, inFolder, server, statusOf } = await serving(t)
  renameSync(file, inFolder('away.db'))
  await waitUntil(async () => (await statusOf('/workspace'))[0] === 500)
  renameSync(inFolder('away.db'), file)
  await waitUntil(async () => (await statusOf('/workspace'))[0] === 200)
  assert.deepEqual(await statusOf('/readyz'), [200, undefined])
  await waitUntil(() => server.output().includes('the database file is back'))
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
