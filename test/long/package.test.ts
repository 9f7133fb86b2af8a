/** The package as a person installs it: by npm, with the runtime for its platform. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { isRuntime, shippedPackages } from '../../scripts/shipped-packages.ts'
import { type Packed, pack, use } from './package.ts'

const ROOT = join(import.meta.dirname, '../..')
const MAX_BYTES = 3_000_000
const MAX_FILES = 2600

const { CI } = process.env
const isOnline = spawnSync('npm', ['ping', '--fetch-retries=0']).status === 0
const options = isOnline || CI !== undefined ? {} : { skip: 'the registry of npm cannot be reached' }

/** Without the packages of this clone, whose own Node.js would be found. */
const PATH = (process.env.PATH ?? '')
  .split(':')
  .filter((folder) => !folder.includes('node_modules'))
  .join(':')

let folder = ''
let packed: Packed

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'an installed package '))
  packed = await pack(folder)
})
after(() => rmSync(folder, { recursive: true, force: true }))

test('it is small, and has no sources, types, tests, bench or images', () => {
  assert.ok(packed.size < MAX_BYTES, `${packed.size} bytes`)
  assert.ok(packed.paths.length < MAX_FILES, `${packed.paths.length} files`)
  const own = packed.paths.filter((path) => !path.startsWith('node_modules/'))
  const folders = new Set(own.map((path) => path.split('/')[0]))
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
  for (const path of own) assert.doesNotMatch(path, /\.(png|jpg|tsbuildinfo)$|^docs\/images/)
  for (const path of packed.paths) assert.doesNotMatch(path, /\.([mc]?ts|map)$/)
})

test('packing leaves the packages of the clone whole', () => {
  assert.ok(existsSync(join(ROOT, 'node_modules/commander/typings/index.d.ts')))
  assert.ok(existsSync(join(ROOT, 'node_modules/commander/Readme.md')))
  assert.ok(!existsSync(join(ROOT, 'node_modules/.unpacked')))
})

test('it has the licences of the packages in it', () => {
  const bundled = shippedPackages().filter((shipped) => shipped.path !== '' && !isRuntime(shipped))
  const licences = bundled.flatMap(({ path }) => globSync(`${path}/{LICENSE,LICENCE,license,licence}*`, { cwd: ROOT }))
  assert.ok(licences.length > 30)
  assert.deepEqual(
    licences.filter((path) => !packed.paths.includes(path)),
    [],
  )
})

test("it includes every package except the runtime, in the lockfile's versions", () => {
  const expected = shippedPackages().filter((shipped) => shipped.path !== '' && !isRuntime(shipped))
  const folders = packed.paths.flatMap((path) => /^(node_modules\/.*)\/package\.json$/.exec(path)?.[1] ?? [])
  const bundled = folders.filter((path) => /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path))
  assert.deepEqual(bundled.sort(), expected.map(({ path }) => path).sort())
  for (const { path, version } of expected) assert.equal(versionIn(packed, path), version, path)
})

const versionIn = ({ file }: Packed, path: string): string =>
  JSON.parse(execFileSync('tar', ['-xzOf', file, `package/${path}/package.json`], { encoding: 'utf8' })).version

function install(place: string, ...args: string[]): { cwd: string; notes: string } {
  const cwd = join(folder, place)
  mkdirSync(cwd)
  const all = ['install', ...args, packed.file, '--prefer-offline', '--no-audit', '--no-fund']
  const { status, stderr } = spawnSync('npm', all, { cwd, env: { ...process.env, PATH }, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return { cwd, notes: stderr }
}

test(
  'npm installs it into an empty folder without a warning about the Node.js there, and it works',
  options,
  async (t) => {
    const { cwd, notes } = install('an empty folder')
    assert.doesNotMatch(notes, /EBADENGINE|deprecated/)
    await use(t, join(cwd, 'node_modules/.bin/vitrine'))
    const npx = execFileSync('npx', ['vitrine', '--version'], { cwd, env: { ...process.env, PATH }, encoding: 'utf8' })
    assert.match(npx, /^vitrine \d/)
  },
)

test('a global installation works from anywhere', options, async (t) => {
  const prefix = join(folder, 'global')
  install('elsewhere', '--global', '--prefix', prefix)
  await use(t, join(prefix, 'bin/vitrine'))
})

test('install scripts are not needed', options, async (t) => {
  const { cwd } = install('without scripts', '--ignore-scripts')
  await use(t, join(cwd, 'node_modules/.bin/vitrine'))
})

test(
  'without optional packages it explains what to do, or uses a machine’s Node.js that is new enough',
  options,
  () => {
    const { cwd } = install('without runtime', '--omit=optional')
    const program = join(cwd, 'node_modules/.bin/vitrine')
    const old = join(folder, 'old')
    mkdirSync(old)
    writeFileSync(join(old, 'node'), '#!/bin/sh\necho v20.20.2\n', { mode: 0o755 })
    const refused = spawnSync(program, ['--version'], { env: { PATH: `${old}:/usr/bin:/bin` }, encoding: 'utf8' })
    assert.match(
      refused.stderr,
      /^vitrine: its Node\.js is not installed, and the machine has v20\.20\.2; run 'npm install --include=optional' in .*, or install Node\.js 24\.15 or newer\n$/,
    )
    const own = join(folder, 'own')
    mkdirSync(own)
    symlinkSync(process.execPath, join(own, 'node'))
    assert.match(
      execFileSync(program, ['--version'], { env: { PATH: `${own}:/usr/bin:/bin` }, encoding: 'utf8' }),
      /^vitrine/,
    )
  },
)

test("a runtime other than the lockfile's is not installed", options, () => {
  const cwd = join(folder, 'tampered')
  mkdirSync(cwd)
  for (const name of ['package.json', 'package-lock.json'])
    writeFileSync(
      join(cwd, name),
      readFileSync(join(ROOT, name), 'utf8').replaceAll(
        /("node_modules\/node-linux-[^{]*\{[^}]*"integrity": "sha512-)..../g,
        '$1AAAA',
      ),
    )
  const npm = (...args: string[]) =>
    spawnSync('npm', [...args, '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd,
      env: { ...process.env, PATH },
    })
  npm('ci', '--cache', join(folder, 'an empty cache'))
  assert.deepEqual(globSync('node_modules/{node-*,.bin/node}', { cwd }), [])
  writeFileSync(join(cwd, 'package-lock.json'), readFileSync(join(ROOT, 'package-lock.json')))
  npm('ci')
  assert.equal(globSync('node_modules/{node-*,.bin/node}', { cwd }).length, 2)
})
