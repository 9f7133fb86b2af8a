import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

const src = join(import.meta.dirname, '../src')
const files = globSync('**/*.ts', { cwd: src }).map((file) => file.replaceAll('\\', '/'))

const shared = ['lib', 'problems', 'version.ts']
const subjects = ['resources', 'keys', 'members', 'audit', 'import', 'database', ...shared]

/** The folders that a folder may import from, besides itself. A file in src itself stands for a folder. */
const allowed: Record<string, string[]> = {
  lib: [],
  problems: [],
  'version.ts': [],
  database: ['lib'],
  audit: ['database', ...shared],
  resources: ['audit', 'database', ...shared],
  keys: ['resources', 'audit', 'database', ...shared],
  members: ['resources', 'keys', 'audit', 'database', ...shared],
  import: ['members', 'resources', 'keys', 'audit', 'database', ...shared],
  'lifecycle.ts': ['lib'],
  'config.ts': ['keys', 'members', 'database', 'lifecycle.ts', 'lib'],
  'operation.ts': ['keys', 'database', 'problems', 'lib'],
  http: [...subjects, 'operation.ts', 'lifecycle.ts'],
  mcp: [...subjects, 'operation.ts'],
  web: [...subjects, 'operation.ts', 'config.ts'],
  'app.ts': [...subjects, 'http', 'mcp', 'web', 'operation.ts', 'config.ts', 'lifecycle.ts'],
  cli: [...subjects, 'http', 'web', 'config.ts', 'app.ts', 'operation.ts', 'lifecycle.ts'],
}

const folderOf = (file: string) => file.split('/')[0] ?? file

function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8')
  return [...text.matchAll(/(?:from|import\() ?'(\.{1,2}\/[^']+)'/g)]
    .map(([, specifier = '']) => normalize(join(dirname(file), specifier)).replaceAll('\\', '/'))
    .filter((target) => !target.startsWith('..')) // package.json
}

test('there are files to judge', () => assert.ok(files.length > 50))

for (const file of files) {
  test(`${file} imports only from folders below its own`, () => {
    const folder = folderOf(file)
    for (const target of importsOf(file)) {
      const other = folderOf(target)
      assert.ok(other === folder || allowed[folder]?.includes(other), `${file} may not import ${target}`)
    }
  })
}

test('there are no import circles', () => {
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): void => {
    const from = path.indexOf(file)
    assert.equal(from, -1, `circle: ${[...path.slice(from), file].join(' → ')}`)
    if (done.has(file)) return
    for (const target of importsOf(file)) if (target.endsWith('.ts')) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of files) visit(file, [])
})
