import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { commit, version } from '../version.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** What --version prints, such as `vitrine 0.2.0 (1a2b3c4)`: the commit only where it is known. */
export function versionLine(): string {
  const known = commit ?? commitOf(ROOT)
  return known === undefined ? `vitrine ${version}` : `vitrine ${version} (${known})`
}

/** The commit that a clone is at, with `-dirty` where files were changed since. Undefined for any other folder. */
export function commitOf(root: string): string | undefined {
  // A folder inside of another project's clone is not at that clone's commit.
  if (!existsSync(`${root}/.git`)) return undefined
  // GIT_DIR and the like would name another clone, and writing the index would wait for other writers.
  const outside = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'))
  const env = { ...Object.fromEntries(outside), GIT_OPTIONAL_LOCKS: '0' }
  const args = ['describe', '--always', '--dirty', '--abbrev=7', '--exclude=*']
  try {
    return execFileSync('git', args, { cwd: root, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  } catch {
    return undefined
  }
}
