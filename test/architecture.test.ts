import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

const src = join(import.meta.dirname, '../src')
const files = globSync('**/*.ts', { cwd: src }).map((file) => file.replaceAll('\\', '/'))

/** The rooms that a room may import from, besides itself. What lies in src itself is a room called by its file. */
const allowed: Record<string, string[]> = {
  'soon.ts': [],
  'network.ts': [],
  storage: ['soon.ts', 'redact.ts'],
  problems: [],
  'instant.ts': [],
  'email.ts': ['redact.ts'],
  'version.ts': [],
  'redact.ts': [],
  'plain-text.ts': ['redact.ts'],
  'json-text.ts': [],
  'schema.ts': [],
  'checker.ts': ['schema.ts', 'instant.ts', 'email.ts'],
  'lifecycle.ts': ['instant.ts'],
  gate: ['storage', 'problems', 'soon.ts', 'redact.ts', 'plain-text.ts'],
  resources: ['storage', 'soon.ts', 'schema.ts', 'instant.ts'],
  intake: [
    'resources',
    'gate',
    'storage',
    'checker.ts',
    'schema.ts',
    'instant.ts',
    'email.ts',
    'plain-text.ts',
    'json-text.ts',
  ],
  'operation.ts': ['problems', 'storage', 'soon.ts', 'schema.ts'],
  http: [
    'resources',
    'gate',
    'storage',
    'problems',
    'operation.ts',
    'lifecycle.ts',
    'version.ts',
    'soon.ts',
    'redact.ts',
    'network.ts',
  ],
  mcp: [
    'resources',
    'storage',
    'problems',
    'operation.ts',
    'checker.ts',
    'schema.ts',
    'plain-text.ts',
    'redact.ts',
    'json-text.ts',
    'version.ts',
    'soon.ts',
  ],
  audit: ['storage'],
  'config.ts': ['gate', 'storage', 'lifecycle.ts', 'email.ts'],
  settings: [
    'intake',
    'resources',
    'gate',
    'storage',
    'problems',
    'operation.ts',
    'plain-text.ts',
    'redact.ts',
    'instant.ts',
    'email.ts',
    'config.ts',
    'network.ts',
  ],
  'app.ts': ['http', 'mcp', 'settings', 'resources', 'gate', 'storage', 'operation.ts', 'config.ts'],
}

const roomOf = (file: string) => file.split('/')[0] ?? file

test('there are files to judge', () => assert.ok(files.length > 50))

for (const file of files.filter((name) => roomOf(name) !== 'cli')) {
  test(`${file} imports only from rooms below its own`, () => {
    const room = roomOf(file)
    const text = readFileSync(join(src, file), 'utf8')
    for (const [, specifier = ''] of text.matchAll(/(?:from|import\() ?'(\.{1,2}\/[^']+)'/g)) {
      const target = normalize(join(dirname(file), specifier)).replaceAll('\\', '/')
      if (target.startsWith('..')) continue // package.json
      const targetRoom = roomOf(target)
      if (targetRoom === room) continue
      assert.ok(allowed[room]?.includes(targetRoom), `${file} may not import ${target}`)
    }
  })
}
