import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { temporaryFolder } from './temporary-folder.ts'

/** An empty repository, which no configuration of this machine has a say in. */
export function repository(t: TestContext, ...options: string[]) {
  const folder = join(temporaryFolder(t), 'repo')
  mkdirSync(folder)
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' }
  const identity = ['-c', 'user.name=Ana', '-c', 'user.email=ana@acme.example', '-c', 'init.defaultBranch=main']
  const git = (...args: string[]) => gitWith('', ...args)
  const gitWith = (input: string | Buffer, ...args: string[]) =>
    execFileSync('git', [...identity, ...args], { cwd: folder, env, input, encoding: 'utf8', stdio: 'pipe' })
  git('init', '--quiet', ...options)
  return {
    folder,
    git,
    gitWith,
    write: (name: string, bytes: string | Buffer) => writeFileSync(join(folder, name), bytes),
    commit(message = 'work') {
      git('add', '--all')
      git('commit', '--quiet', '--allow-empty', '--message', message)
      return git('rev-parse', 'HEAD').trim()
    },
  }
}
