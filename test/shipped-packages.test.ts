import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { shippedPackages } from '../scripts/shipped-packages.ts'

const root = join(import.meta.dirname, '..')
const ALLOWED = ['MIT', 'MIT-0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD', 'BlueOak-1.0.0']

/** The packages that the source imports, by their names. */
function importedPackages(): Set<string> {
  const names = new Set<string>()
  for (const file of globSync('{src,bin}/**/*', { cwd: root, withFileTypes: true })) {
    if (!file.isFile()) continue
    const text = readFileSync(join(file.parentPath, file.name), 'utf8')
    for (const [, name = ''] of text.matchAll(/(?:from|import\() ?'((?:@[\w.-]+\/)?[a-z][\w.-]*)(?:\/[^']*)?'/g))
      names.add(name)
  }
  return names
}

test('every package that the source imports ships, and nothing that only development needs', () => {
  const shipped = new Set(shippedPackages().map(({ name }) => name))
  const imported = importedPackages()
  assert.ok(imported.has('pg') && imported.has('commander'), [...imported].join())
  assert.deepEqual(
    [...imported].filter((name) => !shipped.has(name)),
    [],
  )
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  assert.deepEqual(
    Object.keys(devDependencies).filter((name) => shipped.has(name)),
    [],
  )
})

test('every shipped package has an allowed licence, the one that it states itself', () => {
  for (const { name, path, version, license } of shippedPackages().slice(1)) {
    assert.ok(ALLOWED.includes(license), `${name} is under ${license}`)
    const file = join(root, path, 'package.json')
    // A package for another platform is not installed here.
    if (!existsSync(file)) continue
    const installed = JSON.parse(readFileSync(file, 'utf8'))
    assert.deepEqual([installed.version, installed.license], [version, license], name)
  }
})
