import {
  type Dirent,
  lstatSync,
  mkdirSync,
  mkdtempDisposableSync,
  readdirSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'
import { readSmallFile } from '../../lib/small-file.ts'
import { UserError } from '../../lib/user-error.ts'
import type { GitRepository } from './git.ts'

const GITDIR = 'gitdir: '
/** Twice the longest path; git writes neither longer files nor pipes. */
const MAX_POINTER_BYTES = 8192
/** Git's own limit. */
const MAX_ALTERNATES_DEPTH = 5
/** A shallow clone has a line for each commit at its boundary. */
const MAX_SHALLOW_BYTES = 1024 ** 2
/** Object files are named by hashes: 40 digits, or 64 with SHA-256. The first two are the folder's name. */
const SHA256_NAME = /^(?:[0-9a-f]{62}|pack-[0-9a-f]{64}\.pack)$/
const SHA256_CONFIG = '[core]\nrepositoryFormatVersion = 1\n[extensions]\nobjectFormat = sha256\n'

/** True for `.git`, a bare repository, and a submodule's folder. */
export function isGitFolder(entries: readonly Dirent[]): boolean {
  const has = (name: string) => entries.some((entry) => entry.name === name)
  return has('HEAD') && has('objects') && has('refs')
}

/** In a worktree or submodule, `.git` is a file that contains the folder's path; a worktree's folder points to the shared one. */
export function commonGitFolder(dotGit: string): string | undefined {
  const pointer = smallFile(dotGit)
  if (!pointer?.startsWith(GITDIR)) return undefined
  const folder = resolve(dirname(dotGit), pointer.slice(GITDIR.length).trimEnd())
  return resolve(folder, smallFile(`${folder}/commondir`)?.trim() ?? '.')
}

/**
 * Calls `use` with the objects of a repository that was found. Git would open the repository's configuration and references, and
 * any pipe, device or file that they point to, so it gets a temporary folder of our own, and only the objects of the repository.
 * Nothing outside `root` is read; without a root, the user named the repository, and it may point anywhere.
 */
export async function withRepository<T>(
  gitFolder: string,
  root: string | undefined,
  use: (repository: GitRepository) => Promise<T>,
): Promise<T> {
  // Git resolves relative paths such as `../..` from the real path.
  const objectFolder = realpathSync(resolve(gitFolder, 'objects'))
  const isSha256 = checkObjects(objectFolder, root)
  using temporary = mkdtempDisposableSync(join(tmpdir(), 'vitrine-scan-'))
  const ownFolder = temporary.path
  mkdirSync(`${ownFolder}/refs`)
  writeFileSync(`${ownFolder}/HEAD`, 'ref: refs/heads/none\n')
  if (isSha256) writeFileSync(`${ownFolder}/config`, SHA256_CONFIG)
  const shallow = smallFile(`${gitFolder}/shallow`, MAX_SHALLOW_BYTES)
  if (shallow !== undefined) writeFileSync(`${ownFolder}/shallow`, shallow)
  const indexFile = resolve(gitFolder, 'index')
  const hasIndex = lstatSync(indexFile, { throwIfNoEntry: false })?.isFile()
  return await use({ ownFolder, objectFolder, ...(hasIndex && { indexFile }) })
}

/** Checks that git opens only files and folders that may be read, and returns whether they use SHA-256. */
function checkObjects(folder: string, root: string | undefined, depth = 0): boolean {
  if (depth > MAX_ALTERNATES_DEPTH) throw new UserError('it borrows objects through too many other repositories')
  const start = realpathSync(folder)
  if (root !== undefined && !isWithin(start, root))
    throw new UserError(`its objects are in ${folder}, outside the scanned folders; name it to scan it`)
  let isSha256 = false
  const waiting = [start]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop())
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.isDirectory()) waiting.push(join(path, entry.name))
      else if (!entry.isFile()) throw new UserError(`its objects contain a ${kindOfEntry(entry)}, which git would open`)
      isSha256 ||= SHA256_NAME.test(entry.name)
    }
  for (const line of alternatesOf(start)) checkObjects(resolve(start, line), root, depth + 1)
  return isSha256
}

export function kindOfEntry(entry: Dirent): string {
  if (entry.isSymbolicLink()) return 'symbolic link'
  if (entry.isSocket()) return 'socket'
  return entry.isFIFO() ? 'pipe' : 'device'
}

function alternatesOf(folder: string): string[] {
  const path = `${folder}/info/alternates`
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return []
  const lines = (smallFile(path) ?? '"').split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  if (lines.some((line) => line.startsWith('"')))
    throw new UserError('the list of repositories that it borrows objects from cannot be read')
  return lines
}

const isWithin = (path: string, root: string): boolean =>
  path === root || path.startsWith(root.endsWith(sep) ? root : root + sep)

function smallFile(path: string, maxBytes = MAX_POINTER_BYTES): string | undefined {
  try {
    return readSmallFile(path, { maxBytes, isRegular: true })
  } catch {
    return undefined
  }
}
