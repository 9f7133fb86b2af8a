/**
 * src/tools/scan is `vitrine scan`: it finds keys in files and in git history. It needs no database; the command line asks src/keys
 * which of the keys are live.
 *
 *   scan.ts             this file: the paths to scan, one after the other
 *   files.ts            walks folders; excluded.ts: the patterns to skip
 *   token-finder.ts     finds keys in a stream of bytes, also encoded, by their checksum
 *   git-repository.ts   finds a repository's objects safely; git-objects.ts scans them (git.ts) and finds their first commits
 *   findings.ts         keys with their places, and what was not read; limits.ts bounds the whole scan
 *
 * Invariants: every repository may be hostile. Its configuration is never read, no program of its choice runs, and nothing outside
 * the named paths is opened. Memory, time and bytes are bounded, and anything beyond a limit is reported as not read. The key
 * itself is neither stored nor printed.
 */
import { basename, dirname, join, relative } from 'node:path'
import type { IsExcluded } from './excluded.ts'
import { fileScanner } from './files.ts'
import { Findings } from './findings.ts'
import { firstOccurrences, type Occurrence, scanAllObjects, scanObjects, stagedFiles } from './git-objects.ts'
import { withRepository } from './git-repository.ts'
import { Budget, LimitReachedError, type Limits, unreadReason } from './limits.ts'
import { contentSearch, type Scan } from './token-finder.ts'

interface Options {
  stdin?: AsyncIterable<Buffer>
  isExcluded?: IsExcluded | undefined
  limits?: Partial<Limits>
  onPhase?: (name: string) => void
}

/** Includes everything below folders, and the history of repositories in them; `-` is stdin. */
export async function scanPaths(
  paths: readonly string[],
  { stdin = process.stdin, isExcluded, limits, onPhase = () => {} }: Options = {},
): Promise<Findings> {
  const scan = { findings: new Findings(), budget: new Budget(limits), isExcluded }
  const scanPath = fileScanner(scan, async (folder, root) => {
    onPhase(`reading the history in ${folder}`)
    await scanRepository(scan, folder, root)
  })
  try {
    for (const path of paths) {
      onPhase(`reading ${path === '-' ? 'stdin' : path}`)
      if (path === '-') await scanStdin(scan, stdin)
      else await scanPath(path)
    }
  } catch (error) {
    // The findings list what was not read.
    if (!(error instanceof LimitReachedError)) throw error
  }
  return scan.findings
}

async function scanStdin(scan: Scan, stdin: AsyncIterable<Buffer>): Promise<void> {
  const location = { file: '(stdin)' }
  scan.findings.files++
  const search = contentSearch(scan, location)
  try {
    for await (const chunk of stdin) search(chunk)
  } catch (error) {
    if (error instanceof LimitReachedError) scan.findings.addUnread(location, error.message)
    throw error
  }
}

export async function scanStaged(folder: string, { isExcluded, limits }: Options = {}): Promise<Findings> {
  const findings = new Findings()
  const repository = { workingFolder: folder }
  const budget = new Budget(limits)
  const paths = new Map<string, string>()
  for await (const { object, path } of stagedFiles(repository, budget))
    if (isExcluded?.(path)) findings.skip('excluded file')
    else paths.set(object, path)
  const ids = [...paths.keys()].map((id) => `${id}\n`)
  await scanObjects({ findings, budget }, repository, ids)
  findings.resolveObjects(({ id }) => ({
    location: { revision: 'staged', file: paths.get(id) ?? id },
    isExcluded: false,
  }))
  return findings
}

async function scanRepository(scan: Scan, gitFolder: string, root: string | undefined): Promise<void> {
  const { findings, budget, isExcluded } = scan
  const name = basename(gitFolder) === '.git' ? dirname(gitFolder) : gitFolder
  let occurrences = new Map<string, Occurrence>()
  try {
    await withRepository(gitFolder, root, async (repository) => {
      try {
        await scanAllObjects(scan, repository)
      } finally {
        const ids = findings.blobIds()
        if (ids.size > 0) occurrences = await firstOccurrences(repository, ids, budget)
      }
    })
  } catch (error) {
    const reason = unreadReason(error)
    if (reason === undefined) throw error
    findings.addUnread({ file: gitFolder }, `is a repository that was not read completely: ${reason}`)
  }
  findings.resolveObjects(({ id, type }) => {
    const occurrence = occurrences.get(id)
    const { path = names[type] ?? `(${type})`, commit = 'staged' } = occurrence ?? { commit: id }
    return {
      location: { repository: name, revision: commit, file: path },
      isExcluded: occurrence !== undefined && isExcluded?.(relative('.', join(name, path))) === true,
    }
  })
}

const names: Record<string, string> = { blob: '(a file in no known commit)', commit: '(commit message)' }
