import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import test from 'node:test'
import { filesForBoth, filesForOnce, groupOf, testFiles } from './support/groups.ts'

const root = join(import.meta.dirname, '..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

const filesOf = (script: string): string[] => {
  const patterns = [...(scripts[script] ?? '').matchAll(/'([^']+)'/g)].map(([, pattern = '']) => pattern)
  return testFiles(...patterns)
}

/** The names of the groups that the entries of a folder in test/groups start. */
const entriesIn = (folder: string): string[] =>
  testFiles(`test/groups/${folder}/*.test.ts`)
    .map((file) => basename(file, '.test.ts'))
    .sort()

test('`npm run test:all` runs every group of test files, `npm test` the quick ones, `npm run test:long` those in test/long', () => {
  const entries = testFiles('test/groups/*/*.test.ts').sort()
  assert.deepEqual(filesOf('test:all').sort(), entries)
  assert.deepEqual(
    filesOf('test').sort(),
    entries.filter((file) => basename(dirname(file)) === 'quick'),
  )
  assert.deepEqual(filesOf('test:long').sort(), testFiles('test/long/**/*.test.ts').sort())
  const groups = (files: string[], isAgain: boolean) => [...new Set(files.map((file) => groupOf(file, isAgain)))].sort()
  assert.deepEqual([...entriesIn('quick'), ...entriesIn('full')].sort(), groups(filesForOnce(), false))
  assert.deepEqual(entriesIn('postgres'), groups(filesForBoth(), true))
})

test('a file with tests that are only for PostgreSQL runs on both engines', () => {
  const repeated = filesForBoth()
  assert.ok(repeated.includes('test/database/schema.test.ts'))
  for (const file of filesForOnce())
    if (/^testOnly\('postgres'\)/m.test(readFileSync(join(root, file), 'utf8')))
      assert.ok(repeated.includes(file), file)
})
