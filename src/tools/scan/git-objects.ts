import { UserError } from '../../lib/user-error.ts'
import { type GitInput, type GitRepository, nulSeparated, outputLines, runGit } from './git.ts'
import { type Budget, sizeText } from './limits.ts'
import { contentSearch, type Scan } from './token-finder.ts'

const NEWLINE = 0x0a

/**
 * Scans every object of the repository once, in the order in which git reads them fastest: files and messages of all commits,
 * branches, tags and stashes, staged files, and unreachable objects that still exist. Their sizes are listed first, because git
 * would load an object that is too large into memory.
 */
export function scanAllObjects(scan: Scan, repository: GitRepository): Promise<void> {
  const { findings, budget } = scan
  const { objectBytes } = budget.limits
  const args = ['cat-file', '--batch-all-objects', '--unordered', '--buffer', '--batch-check']
  const ids = async function* () {
    for await (const lines of outputLines(runGit(repository, args, budget.gitMs))) {
      const idLines = lines.map((line) => {
        const [id = '', type = '', size] = line.split(' ')
        if (Number(size) <= objectBytes) return `${id}\n`
        if (size === undefined) findings.addUnread({ id, type: 'object' }, 'is damaged')
        else findings.addUnread({ id, type }, `is larger than ${sizeText(objectBytes)}`)
        return ''
      })
      yield idLines.join('')
    }
  }
  return scanObjects(scan, repository, ids())
}

export async function scanObjects(scan: Scan, repository: GitRepository, ids: GitInput): Promise<void> {
  let header = ''
  let search: ReturnType<typeof contentSearch> | undefined
  /** Includes the line break after the object. */
  let bytesLeft = 0
  for await (const chunk of runGit(repository, ['cat-file', '--batch', '--buffer'], scan.budget.gitMs, ids))
    for (let at = 0; at < chunk.length; ) {
      if (bytesLeft === 0) {
        const end = chunk.indexOf(NEWLINE, at)
        header += chunk.toString('latin1', at, end === -1 ? chunk.length : end)
        if (end === -1) break
        const [id = '', type = '', size] = header.split(' ')
        if (size === undefined) throw new UserError(`git: the object ${id} is ${type}`)
        scan.findings.objects++
        search = contentSearch(scan, { id, type })
        header = ''
        bytesLeft = Number(size) + 1
        at = end + 1
      }
      const piece = chunk.subarray(at, at + bytesLeft)
      bytesLeft -= piece.length
      at += piece.length
      search?.(piece, bytesLeft === 0)
    }
}

export interface Occurrence {
  path: string
  /** The first commit that contains it; undefined if it is only staged. */
  commit: string | undefined
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
export async function firstOccurrences(repository: GitRepository, objects: ReadonlySet<string>, budget: Budget) {
  const occurrences = new Map<string, Occurrence>()
  const wanted = new Set(objects)

  /** Each line is a commit, or one of its objects with its path. */
  async function walk(options: string[], input?: AsyncIterable<string>): Promise<void> {
    // Not `git log`: a repository's configuration could make it run a program or read any file.
    const args = ['rev-list', '--objects', '--missing=allow-any', ...options]
    let commit: string | undefined
    for await (const lines of outputLines(runGit(repository, args, budget.gitMs, input))) {
      for (const line of lines) {
        const space = line.indexOf(' ')
        if (space === -1) commit = line
        else if (wanted.delete(line.slice(0, space))) {
          const path = Buffer.from(line.slice(space + 1, space + 1 + MAX_PATH_BYTES), 'latin1').toString('utf8')
          occurrences.set(ownCopy(line.slice(0, space)), { path, commit: commit && ownCopy(commit) })
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
  return occurrences
}

/** Lists all commits, because references do not reach hidden ones. */
async function* commitsOf(repository: GitRepository, budget: Budget): AsyncGenerator<string> {
  const args = ['cat-file', '--batch-all-objects', '--buffer', '--batch-check=%(objecttype) %(objectname)']
  for await (const lines of outputLines(runGit(repository, args, budget.gitMs)))
    yield lines.map((line) => (line.startsWith('commit ') ? `${line.slice('commit '.length)}\n` : '')).join('')
}

/** Files with the same content share an object. */
export async function* stagedFiles(repository: GitRepository, budget: Budget) {
  // Outside of a repository, `git diff` compares two files and does not know --cached.
  await nulSeparated(repository, ['rev-parse', '--git-dir'], budget.gitMs)
  // Neither deleted files nor unmerged ones, which have no staged content and cannot be committed.
  const args = ['diff', '--cached', '--raw', '-z', '--no-abbrev', '--no-renames', '--diff-filter=du']
  const fields = await nulSeparated(repository, args, budget.gitMs)
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode, object = ''] = /^:\d+ (\d+) [0-9a-f]+ ([0-9a-f]+)/.exec(fields[at] ?? '') ?? []
    // A submodule is a commit of another repository.
    if (mode !== '160000') yield { object, path: fields[at + 1] ?? '' }
  }
}
