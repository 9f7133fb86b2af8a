import { UserError } from '../../lib/user-error.ts'
import { fieldsOf, type GitRepository, linesOf, runGit } from './git.ts'
import type { Budget } from './limits.ts'

export interface Occurrence {
  path: string
  /** The first commit that contains it; undefined if it is only staged. */
  commit?: string
}

/** Longer than the report shows. */
const MAX_PATH_BYTES = 8192
const FROM_OLDEST_COMMIT = ['--in-commit-order', '--topo-order', '--reverse', '--stdin']

/** A substring would keep the whole string in memory. */
const ownCopy = (text: string): string => Buffer.from(text, 'latin1').toString('latin1')

/**
 * Finds where files of a repository first occur: walks the history from the oldest commit until all are found, then the index.
 * Every tree is visited only once, wherever it occurs: nested copies of the same tree can have an astronomical number of paths.
 */
export async function firstOccurrences(
  repository: GitRepository,
  objects: ReadonlySet<string>,
  budget: Budget,
): Promise<Map<string, Occurrence>> {
  const found = new Map<string, Occurrence>()
  const wanted = new Set(objects)

  /** Each line is a commit, or one of its objects with its path. */
  async function walk(options: string[], input?: AsyncIterable<string>): Promise<void> {
    // Not `git log`: a repository's configuration could make it run a program or read any file.
    const args = ['rev-list', '--objects', '--missing=allow-any', ...options]
    let commit: string | undefined
    for await (const lines of linesOf(runGit(repository, args, budget.gitMs, input))) {
      for (const line of lines) {
        const space = line.indexOf(' ')
        if (space === -1) commit = line
        else if (wanted.delete(line.slice(0, space))) {
          const path = Buffer.from(line.slice(space + 1, space + 1 + MAX_PATH_BYTES), 'latin1').toString('utf8')
          found.set(ownCopy(line.slice(0, space)), { path, ...(commit !== undefined && { commit: ownCopy(commit) }) })
        }
      }
      if (wanted.size === 0) return
    }
  }

  // Findings are reported even if a damaged history hides some of their places.
  const ignoreDamage = (error: unknown) => {
    if (!(error instanceof UserError)) throw error
  }
  await walk(FROM_OLDEST_COMMIT, commitsOf(repository, budget)).catch(ignoreDamage)
  if (wanted.size > 0) await walk(['--indexed-objects']).catch(ignoreDamage)
  return found
}

/** Lists all commits, because references do not reach hidden ones. */
async function* commitsOf(repository: GitRepository, budget: Budget): AsyncGenerator<string> {
  const args = ['cat-file', '--batch-all-objects', '--buffer', '--batch-check=%(objecttype) %(objectname)']
  for await (const lines of linesOf(runGit(repository, args, budget.gitMs)))
    yield lines.map((line) => (line.startsWith('commit ') ? `${line.slice('commit '.length)}\n` : '')).join('')
}

export async function stagedChanges(repository: GitRepository, budget: Budget): Promise<Map<string, string>> {
  // Outside of a repository, `git diff` compares two files and does not know --cached.
  await fieldsOf(repository, ['rev-parse', '--git-dir'], budget.gitMs)
  const args = ['diff', '--cached', '--raw', '-z', '--no-abbrev', '--no-renames', '--diff-filter=d']
  const fields = await fieldsOf(repository, args, budget.gitMs)
  const changes = new Map<string, string>()
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode, object = ''] = /^:\d+ (\d+) [0-9a-f]+ ([0-9a-f]+)/.exec(fields[at] ?? '') ?? []
    // A submodule is a commit of another repository.
    if (mode !== '160000') changes.set(object, fields[at + 1] ?? '')
  }
  return changes
}
