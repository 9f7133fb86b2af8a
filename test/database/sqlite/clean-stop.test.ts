import assert from 'node:assert/strict'
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { programWithFile } from '../../support/program.ts'

const databaseFiles = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.startsWith('vitrine.db'))
    .sort()

/** The contents of the one file by itself, copied away from other files. */
function countInCopy({ folder, file }: { folder: string; file: string }) {
  const copy = join(folder, 'copy.db')
  copyFileSync(file, copy)
  const db = new DatabaseSync(copy)
  try {
    const count = (table: string) => Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n)
    const uses = Number(db.prepare('SELECT coalesce(sum(count), 0) AS n FROM key_use').get()?.n)
    return { workspaces: count('workspaces'), tasks: count('list_items'), keys: count('api_keys'), uses }
  } finally {
    db.close()
  }
}

const tasks = (n: number) =>
  Array.from({ length: n }, (_, i) => JSON.stringify({ id: `task-${i}`, title: `Task ${i}` })).join('\n')

test('after a clean stop, the one file contains what commands and requests wrote', async (t) => {
  const vitrine = programWithFile(t)
  writeFileSync(join(vitrine.folder, 'tasks.ndjson'), tasks(500))
  const server = await vitrine.start('serve')
  await vitrine.ok('workspace', 'create', '--name', 'Acme', '--slug', 'acme')
  await vitrine.ok('task', 'import', '--workspace', 'acme', 'tasks.ndjson')
  const key = await vitrine.ok('key', 'create', '--workspace', 'acme', '--label', 'x')
  for (let i = 0; i < 9; i++)
    await fetch(`${server.url}/tasks`, { headers: { authorization: `Bearer ${key}` } }).then((response) =>
      response.text(),
    )
  assert.equal(await server.stop(), 0)
  assert.deepEqual(databaseFiles(vitrine.folder), ['vitrine.db', 'vitrine.db-lock'])
  assert.deepEqual(countInCopy(vitrine), { workspaces: 1, tasks: 500, keys: 1, uses: 9 })
})
