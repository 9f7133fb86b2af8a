// On both engines: each engine fails in its own way.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createToken } from '../../src/lib/key-format.ts'
import { testOnly } from '../support/database.ts'
import { acmeProgram } from '../support/program.ts'

const onSqlite = testOnly('sqlite')
const ROOT = join(import.meta.dirname, '../..')
const MAPS = /^src\/import\/map\//
/** Each takes longer to load than a small import takes to run. */
const FACES = /^src\/(http|mcp|web|app\.ts)/
const SERVER = /^node:(http|https|http2|tls|worker_threads)$/

/** What a command loads over SQLite: files of the project by their path, packages by their name, and `node:…`. */
async function loadedBy(t: TestContext, files: Record<string, string>, ...args: string[]): Promise<string[]> {
  const vitrine = await acmeProgram(t, { VITRINE_KEY: createToken() })
  for (const [name, text] of Object.entries(files)) vitrine.writeFile(name, text)
  vitrine.env.LOADED_MODULES = join(vitrine.folder, 'modules')
  vitrine.env.NODE_OPTIONS = `--import=${join(ROOT, 'test/cli/list-modules.mjs')}`
  await vitrine.ok(...args)
  const urls = readFileSync(vitrine.env.LOADED_MODULES, 'utf8').trim().split('\n')
  const names = urls.map((url) =>
    url.replace(`file://${ROOT}/`, '').replace(/^node_modules\/((?:@[^/]+\/)?[^/]+)\/.*$/, '$1'),
  )
  return [...new Set(names)]
}

const packagesIn = (loaded: string[]) =>
  loaded.filter((name) => !name.includes(':') && !name.includes('/') && !name.includes('.'))

const TASK = { 'one.ndjson': '{"id":"t1","title":"One"}\n', 'one.csv': 'id,title\nt1,One\n' }

for (const [name, args, packages] of [
  ['an import of NDJSON', ['task', 'import', '--workspace', 'acme', 'one.ndjson'], ['commander']],
  ['an import of CSV', ['task', 'import', '--workspace', 'acme', 'one.csv'], ['commander', 'csv-parse']],
  ['creating a key', ['key', 'create', '--workspace', 'acme', '--label', 'x'], ['commander']],
] as const)
  onSqlite(
    `${name} on SQLite loads no server, page or map, and only the packages ${packages.join(' and ')}`,
    async (t) => {
      const loaded = await loadedBy(t, TASK, ...args)
      assert.ok(loaded.includes('src/database/sqlite/operator-store.ts'))
      assert.deepEqual(packagesIn(loaded), packages)
      assert.deepEqual(
        loaded.filter((module) => [FACES, SERVER, MAPS].some((part) => part.test(module))),
        [],
      )
      assert.ok(!loaded.includes('src/database/postgres/open.ts'))
    },
  )
