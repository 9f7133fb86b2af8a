import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { type TestContext, test } from 'node:test'
import { outputLines, runGit } from '../../../src/tools/scan/git.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const MINUTE_MS = 60_000

function emptyRepository(t: TestContext) {
  const workingFolder = temporaryFolder(t)
  execFileSync('git', ['init', '--quiet', workingFolder])
  return { workingFolder }
}

const failureOf = (output: AsyncIterable<Buffer>): Promise<string> =>
  Array.fromAsync(output).then(
    () => assert.fail('git did not fail'),
    (error) => String(error),
  )

test('git ends when its reader has read enough, although more is left than fits into a pipe', async (t) => {
  const repository = emptyRepository(t)
  const input = Buffer.alloc(5_000_000, 'line\n')
  const args = ['-C', repository.workingFolder, 'hash-object', '-w', '--stdin']
  const id = execFileSync('git', args, { input, encoding: 'utf8' }).trim()
  for await (const piece of runGit(repository, ['cat-file', 'blob', id], MINUTE_MS)) {
    assert.equal(piece.toString('latin1', 0, 4), 'line')
    break
  }
})

test("git's failure message is passed on in one line", async (t) => {
  const output = runGit({ workingFolder: temporaryFolder(t) }, ['rev-parse', 'HEAD'], MINUTE_MS)
  assert.match(await failureOf(output), /^UserError: git: not a git repository/)
})

test('git ends when its time is up, although its input does not', async (t) => {
  async function* input() {
    yield await new Promise<string>(() => {})
  }
  const output = runGit(emptyRepository(t), ['cat-file', '--batch'], 100, input())
  assert.equal(await failureOf(output), 'UserError: git took longer than 1 min')
})

test('if the git process that feeds another fails, its failure is the one shown', async (t) => {
  const repository = emptyRepository(t)
  async function* input() {
    for await (const lines of outputLines(runGit(repository, ['rev-list', 'nowhere'], MINUTE_MS))) yield lines.join('')
  }
  const output = runGit(repository, ['cat-file', '--batch'], MINUTE_MS, input())
  assert.match(await failureOf(output), /^UserError: git: ambiguous argument 'nowhere'/)
})

test('without git, the message explains it', async (t) => {
  const { PATH } = process.env
  t.after(() => {
    process.env.PATH = PATH
  })
  process.env.PATH = temporaryFolder(t)
  const output = runGit({ workingFolder: '.' }, ['--version'], MINUTE_MS)
  assert.equal(await failureOf(output), 'UserError: the program git is not installed')
})
