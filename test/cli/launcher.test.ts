import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder, testOnce } from '../support/database.ts'
import { PROGRAM } from '../support/program.ts'

/** Some user that is not root, whom no permission would hold back. */
const USER = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

/** The launcher over a runtime that prints where its compile cache would be, and how it was called. */
function install(t: TestContext) {
  const folder = temporaryFolder(t)
  chmodSync(folder, 0o755)
  const home = join(folder, 'installed')
  mkdirSync(join(home, 'bin'), { recursive: true })
  cpSync(PROGRAM, join(home, 'bin/vitrine'))
  const runtime = join(home, 'node_modules/node/bin/node')
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

/** Whoever may write there may write the program. */
function allowInstalled({ home }: { home: string }): void {
  const modules = join(home, 'node_modules')
  if (USER.uid !== undefined) chownSync(modules, USER.uid, USER.gid)
}

function forbidInstalled({ home }: { home: string }): void {
  chmodSync(join(home, 'node_modules'), 0o555)
}

testOnce('the compile cache lies beside the program for whoever may write there', async (t) => {
  const place = install(t)
  allowInstalled(place)
  assert.equal(run(join(place.home, 'bin/vitrine'), { env: { HOME: place.person } }).cache, place.installed)
})

testOnce('whoever may not write beside the program has a compile cache of their own', async (t) => {
  const place = install(t)
  forbidInstalled(place)
  assert.equal(run(join(place.home, 'bin/vitrine'), { env: { HOME: place.person } }).cache, place.own)
})

testOnce('a cache that another user fills beside the program is not tried in vain', async (t) => {
  const place = install(t)
  allowInstalled(place)
  mkdirSync(place.installed, { recursive: true })
  chmodSync(place.installed, 0o555)
  assert.equal(run(join(place.home, 'bin/vitrine'), { env: { HOME: place.person } }).cache, place.own)
})

testOnce(
  'code is never taken from the home of another user, such as the one that HOME still names after sudo',
  async (t) => {
    const place = install(t)
    forbidInstalled(place)
    chownSync(place.person, 0, 0)
    chmodSync(place.person, 0o777)
    assert.equal(run(join(place.home, 'bin/vitrine'), { env: { HOME: place.person } }).cache, place.installed)
  },
  USER.uid === undefined ? { skip: 'needs root, to own a folder as another user' } : {},
)

testOnce('without a home, or with a cache of the operator’s choice, nothing is guessed', async (t) => {
  const place = install(t)
  forbidInstalled(place)
  assert.equal(run(join(place.home, 'bin/vitrine')).cache, place.installed)
  const chosen = { HOME: place.person, NODE_COMPILE_CACHE: '/var/cache/vitrine' }
  assert.equal(run(join(place.home, 'bin/vitrine'), { env: chosen }).cache, '/var/cache/vitrine')
})

testOnce('the program is found through links and from any folder, and its arguments arrive whole', async (t) => {
  const { folder, home } = install(t)
  symlinkSync('installed/bin/vitrine', join(folder, 'first'))
  symlinkSync(join(folder, 'first'), join(folder, 'second'))
  const called = `--max-semi-space-size=8 --disable-sigusr1 -- ${home}/src/cli/main.ts doctor a b`
  assert.equal(run(join(folder, 'second')).called, called)
  assert.equal(run('./vitrine', { cwd: join(home, 'bin') }).called, called)
})
