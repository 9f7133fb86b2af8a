import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { generatedFiles } from '../scripts/generated-files.ts'
import { settings } from '../src/config.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

for (const [path, text] of generatedFiles()) {
  test(`${path} is what the code says ('npm run contract' writes it)`, () => assert.equal(read(path), text))
}

test('every setting is in the operator’s table with its default', () => {
  const guide = read('docs/operating.md')
  for (const [name, { default: value }] of Object.entries(settings)) {
    assert.ok(guide.includes(`\`${name}\``), name)
    if (value !== '') assert.ok(guide.includes(`\`${value}\``), `${name}: ${value}`)
  }
})

for (const page of ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/**/*.md', { cwd: root })]) {
  test(`every link in ${page} leads somewhere`, () => {
    for (const [, target = ''] of read(page).matchAll(/\]\((?!https?:)([^)#]+)/g))
      assert.ok(existsSync(join(root, dirname(page), target)), target)
  })
}

for (const page of ['docs/security.md', 'docs/reliability.md'])
  test(`every test that ${page} names is there`, () => {
    const named = read(page).matchAll(/`([a-z]+\/[a-z-]+)`/g)
    for (const [, name = ''] of named) assert.ok(existsSync(join(root, 'test', `${name}.test.ts`)), name)
  })
