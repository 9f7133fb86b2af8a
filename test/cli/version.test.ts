import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import manifest from '../../package.json' with { type: 'json' }
import { commitOf } from '../../src/cli/version.ts'
import { program } from '../support/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const run = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x.example', ...args], { cwd, encoding: 'utf8' }).trim()

test('--version prints the version, and the commit if known', async (t) => {
  const printed = await program(t).ok('-V')
  const [, version, commit] = /^vitrine (\S+)(?: \(([0-9a-f]{7,}(?:-dirty)?)\))?$/.exec(printed) ?? []
  assert.equal(version, manifest.version)
  assert.equal(commit, commitOf(join(import.meta.dirname, '../..')))
})

test('a clone shows its commit, and dirty after a file was changed', async (t) => {
  const folder = temporaryFolder(t)
  run(folder, 'init', '-q')
  writeFileSync(join(folder, 'a'), 'a')
  run(folder, 'add', 'a')
  run(folder, 'commit', '-qm', 'a', '--no-gpg-sign')
  run(folder, 'tag', 'v9')
  const head = run(folder, 'rev-parse', '--short=7', 'HEAD')
  assert.equal(commitOf(folder), head)
  writeFileSync(join(folder, 'a'), 'b')
  assert.equal(commitOf(folder), `${head}-dirty`)
})

test('without git, --version prints only the version', async (t) =>
  assert.equal(await program(t, { PATH: '/nowhere' }).ok('--version'), `vitrine ${manifest.version}`))
