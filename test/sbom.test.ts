import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sbom } from '../scripts/sbom.ts'
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

test('npm run sbom writes a CycloneDX document with every shipped package, its licence, hash and purl', () => {
  execFileSync('npm', ['run', '--silent', 'sbom'], { cwd: root, stdio: 'pipe' })
  const text = readFileSync(join(root, 'sbom.cdx.json'), 'utf8')
  const document = JSON.parse(text)
  assert.equal(document.bomFormat, 'CycloneDX')
  assert.equal(document.specVersion, '1.6')
  assert.match(document.serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(document.metadata.component.name, 'vitrine')
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const expected = Object.entries<{ dev?: true; version: string }>(lock.packages)
    .filter(([path, { dev }]) => path !== '' && !dev)
    .map(([path, { version }]) => `pkg:npm/${path.replace(/^.*node_modules\//, '').replace('@', '%40')}@${version}`)
  const libraries = document.components.filter(({ type }: { type: string }) => type === 'library')
  assert.deepEqual(libraries.map(({ purl }: { purl: string }) => purl).sort(), expected.sort())
  assert.ok(expected.some((purl) => purl.startsWith('pkg:npm/pg@')))
  for (const { name, licenses, hashes } of libraries) {
    assert.equal(licenses.length, 1, name)
    // test/package.test.ts lists the packages that have none.
    if (hashes === undefined) continue
    assert.match(hashes[0].alg, /^SHA-512$/, name)
    assert.match(hashes[0].content, /^[0-9a-f]{128}$/, name)
  }
  const refs = new Set([document.metadata.component, ...document.components].map((one) => one['bom-ref']))
  assert.equal(refs.size, document.components.length + 1)
  for (const { ref, dependsOn } of document.dependencies)
    for (const one of [ref, ...dependsOn]) assert.ok(refs.has(one), one)
})

test('the runtime is in it, with its built-in database and cryptography', () => {
  const runtime = sbom().components.find(({ type }) => type === 'platform')
  assert.equal(runtime?.version, process.versions.node)
  const builtIn = runtime !== undefined && 'components' in runtime ? runtime.components.map(({ name }) => name) : []
  for (const name of ['sqlite', 'openssl', 'v8', 'zlib']) assert.ok(builtIn.includes(name), name)
})

test('the bill of materials is the same for the same lockfile, and reveals nothing about the machine', () => {
  const text = JSON.stringify(sbom())
  assert.equal(JSON.stringify(sbom()), text)
  assert.deepEqual(
    [...text.matchAll(/\w+:\/\/[^"/]+/g)].map(([url]) => url),
    ['http://cyclonedx.org'],
  )
  assert.ok(!text.includes(root))
  assert.ok(!text.includes('timestamp'))
})
