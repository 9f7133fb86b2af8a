import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { ByteReader } from '../../src/lib/byte-reader.ts'
import { startGit } from '../../src/lib/git.ts'
import { UserError } from '../../src/lib/user-error.ts'
import { temporaryFolder } from '../support/database.ts'

test('git ends when it is stopped, although more of its output is left than a pipe holds', async (t) => {
  const folder = temporaryFolder(t)
  const git = (args: string[], input?: Buffer) =>
    execFileSync('git', ['-C', folder, ...args], { input, encoding: 'utf8' })
  git(['init', '--quiet'])
  const id = git(['hash-object', '-w', '--stdin'], Buffer.alloc(5_000_000, 'line\n')).trim()
  const { stdout, stop, ended } = startGit({ gitFolder: join(folder, '.git') }, ['cat-file', 'blob', id])
  assert.equal((await new ByteReader(stdout).read(4))?.toString(), 'line')
  stop()
  await assert.rejects(ended, UserError)
})

test('what git says of a failure is passed on in one line', async (t) => {
  const folder = temporaryFolder(t)
  const { ended } = startGit({ gitFolder: folder }, ['rev-parse', 'HEAD'])
  await assert.rejects(ended, /^UserError: git: not a git repository/)
})
