import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'

const root = join(import.meta.dirname, '..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> }

const filesOf = (script: string): string[] => {
  const patterns = [...(scripts[script] ?? '').matchAll(/'([^']+)'/g)].map(([, pattern = '']) => pattern)
  return globSync(patterns, { cwd: root })
}

test('`npm test` runs every test file outside test/long, `npm run test:long` every one inside', () => {
  const all = globSync('test/**/*.test.ts', { cwd: root })
  const isLong = (file: string) => file.startsWith(join('test', 'long'))
  assert.deepEqual(filesOf('test').sort(), all.filter((file) => !isLong(file)).sort())
  assert.deepEqual(filesOf('test:long').sort(), all.filter(isLong).sort())
})
