import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { filesForBoth, groups, reasonOf, testFiles, touchesDatabase } from './support/second-engine.ts'

const root = join(import.meta.dirname, '..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

const filesOf = (script: string): string[] => {
  const patterns = [...(scripts[script] ?? '').matchAll(/'([^']+)'/g)].map(([, pattern = '']) => pattern)
  return testFiles(...patterns)
}

test('`npm test` runs every test file outside test/long, `npm run test:long` every one inside', () => {
  const all = testFiles('test/**/*.test.ts')
  const isLong = (file: string) => file.startsWith(join('test', 'long'))
  assert.deepEqual(filesOf('test').sort(), all.filter((file) => !isLong(file)).sort())
  assert.deepEqual(filesOf('test:long').sort(), all.filter(isLong).sort())
})

test('a test that touches a database runs on both engines, unless its file says why not', () => {
  const again = globSync('*.test.ts', { cwd: join(root, 'test/database/postgres/again') })
  assert.deepEqual(
    again.sort(),
    Object.keys(groups)
      .map((name) => `${name}.test.ts`)
      .sort(),
    'each group is run',
  )
  const repeated = filesForBoth()
  for (const file of ['web/keys/create/create', 'cli/copy', 'properties/list-pages', 'audit/chain-watch'])
    assert.ok(repeated.includes(`test/${file}.test.ts`), file)
  for (const file of ['database/sqlite/restore', 'suite', 'lib/email', 'clients/sdk-1'])
    assert.ok(!repeated.includes(`test/${file}.test.ts`), file)
  const idle = testFiles('test/**/*.test.ts').filter((file) => reasonOf(file) && !touchesDatabase(file))
  assert.deepEqual(idle, [], 'these touch no database, so they need no reason')
})
