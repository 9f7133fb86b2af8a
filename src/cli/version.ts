import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { commit, version } from '../version.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export function versionLine(): string {
  const revision = commit ?? commitOf(ROOT)
  return revision === undefined ? `vitrine ${version}` : `vitrine ${version} (${revision})`
}

export function commitOf(root: string): string | undefined {
  // Inside another project's clone, git would report that project's commit.
  if (!existsSync(`${root}/.git`)) return undefined
  // Variables such as GIT_DIR may point to another clone, and writing the index would wait for other writers.
  const outside = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))
  const env = { ...Object.fromEntries(outside), GIT_OPTIONAL_LOCKS: '0' }
  const args = ['describe', '--always', '--dirty', '--abbrev=7', '--exclude=*']
  try {
    return execFileSync('git', args, { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}
