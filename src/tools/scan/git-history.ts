import { ByteReader } from '../../lib/byte-reader.ts'
import { type GitProcess, type GitRepository, runGit, startGit } from '../../lib/git.ts'

export interface Occurrence {
  path: string
  /** The first commit that has it; undefined if it is staged only. */
  commit?: string
}

/** Longer than any path that a file system takes. */
const MAX_FIELD_BYTES = 1024 * 1024

/**
 * Where files of a repository occur first: one walk through the history, from the oldest commit, until all are found. The
 * comparison with every parent also finds what only a merge has added.
 */
export async function firstOccurrences(
  repository: GitRepository,
  objects: ReadonlySet<string>,
): Promise<Map<string, Occurrence>> {
  const found = new Map<string, Occurrence>()
  const wanted = new Set(objects)
  const commits = startGit(repository, ['rev-list', '--all', '--reflog', '--topo-order', '--reverse'])
  // Not `git log`: by its configuration a repository can make it run a program, as to verify signatures, or read any file.
  const args = ['--stdin', '--root', '-r', '-m', '--raw', '-z', '--no-abbrev', '--no-renames', '--no-ext-diff']
  const { stop, stdout, ended } = startGit(repository, ['diff-tree', ...args], textOf(commits))
  const reader = new ByteReader(stdout)
  const next = async () => (await reader.readUntil(0, MAX_FIELD_BYTES))?.toString('utf8')
  let commit = ''
  try {
    for (let field = await next(); wanted.size > 0; field = await next()) {
      if (field === undefined) break
      const change = /:\d+ \d+ [0-9a-f]+ ([0-9a-f]+) [A-Z]\d*$/.exec(field)
      if (change === null) {
        commit = /[0-9a-f]{40,64}/.exec(field)?.[0] ?? commit
        continue
      }
      const [path = '', object = ''] = [await next(), change[1]]
      if (wanted.delete(object)) found.set(object, { path, commit })
    }
  } finally {
    commits.stop()
    stop()
    await ended.catch(() => {})
  }
  if (wanted.size > 0)
    for (const [object, path] of await stagedFiles(repository)) if (wanted.has(object)) found.set(object, { path })
  return found
}

/** Its output, up to where it was stopped. */
async function* textOf({ stdout }: GitProcess): AsyncGenerator<string> {
  try {
    for await (const piece of stdout) yield piece.toString('latin1')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  }
}

/** The objects of the index with their paths. */
async function stagedFiles(repository: GitRepository): Promise<[object: string, path: string][]> {
  const listed = await runGit(repository, ['ls-files', '--stage', '-z']).catch(() => '')
  return fieldsOf(listed).map((line) => {
    const [, object = '', path = ''] = /^\d+ ([0-9a-f]+) \d\t([\s\S]*)$/.exec(line) ?? []
    return [object, path]
  })
}

/** What the next commit would change: the new objects and their paths. */
export async function stagedChanges(repository: GitRepository): Promise<Map<string, string>> {
  const head = await runGit(repository, ['rev-parse', '--verify', '--quiet', 'HEAD']).catch(() => '')
  // Before the first commit everything is compared with nothing.
  const base = head.trim() || (await runGit(repository, ['hash-object', '-t', 'tree', '--stdin'])).trim()
  const fields = fieldsOf(
    await runGit(repository, ['diff-index', '--cached', '--raw', '-z', '--no-abbrev', '--no-renames', base]),
  )
  const changes = new Map<string, string>()
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode, object = '', kind] = /^:\d+ (\d+) [0-9a-f]+ ([0-9a-f]+) ([A-Z])/.exec(fields[at] ?? '') ?? []
    // A submodule is a commit of another repository.
    if (kind !== 'D' && mode !== '160000') changes.set(object, fields[at + 1] ?? '')
  }
  return changes
}

const fieldsOf = (text: string): string[] => text.split('\0').slice(0, -1)
