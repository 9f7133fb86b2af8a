import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { UserError } from '../../../src/lib/user-error.ts'
import { ByteReader } from '../../../src/tools/scan/byte-reader.ts'
import { linesOf, startGit } from '../../../src/tools/scan/git.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const MINUTE_MS = 60_000

test('git ends when it is stopped, although more of its output is left than a pipe holds', async (t) => {
  const folder = temporaryFolder(t)
  const git = (args: string[], input?: Buffer) =>
    execFileSync('git', ['-C', folder, ...args], { input, encoding: 'utf8' })
  git(['init', '--quiet'])
  const id = git(['hash-object', '-w', '--stdin'], Buffer.alloc(5_000_000, 'line\n')).trim()
  const { stdout, stop, ended } = startGit({ workingFolder: folder }, ['cat-file', 'blob', id], MINUTE_MS)
  assert.equal((await new ByteReader(stdout).read(4))?.toString(), 'line')
  stop()
  await assert.rejects(ended, UserError)
})

test('what git says of a failure is passed on in one line', async (t) => {
  const folder = temporaryFolder(t)
  const { ended } = startGit({ workingFolder: folder }, ['rev-parse', 'HEAD'], MINUTE_MS)
  await assert.rejects(ended, /^UserError: git: not a git repository/)
})

test('git ends when its time is up, although its input does not', async (t) => {
  const folder = temporaryFolder(t)
  execFileSync('git', ['init', '--quiet', folder])
  const never = new Promise<string>(() => {})
  const input = async function* () {
    yield await never
  }
  const { ended } = startGit({ workingFolder: folder }, ['cat-file', '--batch'], 100, input())
  await assert.rejects(ended, /^UserError: git took longer than 1 min$/)
})

test('a failure of the git that gives another one its input is the one that is shown', async (t) => {
  const folder = temporaryFolder(t)
  execFileSync('git', ['init', '--quiet', folder])
  const failing = startGit({ workingFolder: folder }, ['rev-list', 'nowhere'], MINUTE_MS)
  const input = async function* () {
    for await (const lines of linesOf(failing)) yield lines.join('')
  }
  const { ended } = startGit({ workingFolder: folder }, ['cat-file', '--batch'], MINUTE_MS, input())
  await assert.rejects(ended, /^UserError: git: ambiguous argument 'nowhere'/)
})

test('without git the message says so', async (t) => {
  const { PATH } = process.env
  t.after(() => {
    process.env.PATH = PATH
  })
  process.env.PATH = temporaryFolder(t)
  const { ended } = startGit({ workingFolder: '.' }, ['--version'], MINUTE_MS)
  await assert.rejects(ended, /^UserError: the program git is not installed$/)
})
