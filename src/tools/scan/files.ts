import { constants, type Dirent, fstatSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { fillBuffer, openedFile } from '../../lib/small-file.ts'
import { UserError } from '../../lib/user-error.ts'
import { commonGitFolder, isGitFolder, kindOfEntry } from './git-repository.ts'
import { LimitReachedError, unreadReason } from './limits.ts'
import { contentSearch, type Scan } from './token-finder.ts'

const CHUNK_BYTES = 1024 * 1024

/** One character per byte, because a Linux path need not be UTF-8. */
type BytePath = string
const BEYOND_ASCII = /[^\0-\x7f]/
const bytesOf = (path: BytePath): Buffer | string => (BEYOND_ASCII.test(path) ? Buffer.from(path, 'latin1') : path)
const textOf = (path: BytePath): string => bytesOf(path).toString()

/** An entry that has become a link or a pipe since it was listed is not opened. */
const LISTED = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Without a root, the user named the repository; otherwise nothing outside the root is read. */
type OnGitFolder = (folder: string, root: string | undefined) => Promise<void>

/** Reads files synchronously: most are small, and the thread pool would take longer than the read. */
export function fileScanner(scan: Scan, onGitFolder: OnGitFolder): (path: string) => Promise<void> {
  const { findings, isExcluded } = scan
  const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  const gitFolders = new Set<string>()

  /** Symbolic links and pipes are read only if the user named them. */
  async function scanPath(path: string): Promise<void> {
    const start = Buffer.from(path).toString('latin1')
    const isFolder = attempt(start, () => statSync(path).isDirectory())
    if (isFolder) await scanFolder(start, realpathSync(path))
    else if (isFolder === false) scanFile(start, constants.O_RDONLY)
  }

  async function scanFolder(start: BytePath, root: string): Promise<void> {
    const waiting = [start]
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      const path = folder
      const entries = attempt(path, () => readdirSync(bytesOf(path), { withFileTypes: true, encoding: 'latin1' }))
      if (entries === undefined) continue
      const isGit = isGitFolder(entries)
      const isNamed = path === start
      if (isGit) await visitGitFolder(textOf(path), isNamed || path === joined(start, '.git') ? undefined : root)
      for (const entry of entries) {
        const inner = joined(path, entry.name)
        const skipped = kindSkipped(inner, entry)
        if (skipped !== undefined) {
          findings.skip(skipped)
          continue
        }
        if (entry.isDirectory()) {
          if (!isGit || entry.name !== 'objects') waiting.push(inner)
          continue
        }
        const gitFolder = entry.name === '.git' && entry.isFile() ? commonGitFolder(textOf(inner)) : undefined
        if (gitFolder !== undefined) await visitGitFolder(gitFolder, isNamed ? undefined : root)
        scanFile(inner, LISTED)
      }
    }
  }

  function kindSkipped(path: BytePath, entry: Dirent): string | undefined {
    const isFolder = entry.isDirectory()
    if (!isFolder && !entry.isFile()) return kindOfEntry(entry)
    if (!isExcluded?.(`${relative('.', textOf(path))}${isFolder ? '/' : ''}`)) return undefined
    return isFolder ? 'excluded folder' : 'excluded file'
  }

  function scanFile(path: BytePath, flags: number): void {
    attempt(path, () => {
      using file = openedFile(bytesOf(path), flags)
      if (flags === LISTED && !fstatSync(file.fd).isFile()) throw new UserError('was replaced while it was being read')
      findings.files++
      const search = contentSearch(scan, { file: textOf(path) })
      for (let length = CHUNK_BYTES; length === CHUNK_BYTES; ) {
        length = fillBuffer(file.fd, buffer)
        search(buffer.subarray(0, length), length < CHUNK_BYTES)
      }
    })
  }

  async function visitGitFolder(folder: string, root: string | undefined): Promise<void> {
    const real = attempt(Buffer.from(folder).toString('latin1'), () => realpathSync(folder))
    if (real === undefined || gitFolders.has(real)) return
    gitFolders.add(real)
    await onGitFolder(folder, root)
  }

  function attempt<T>(path: BytePath, work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      const reason = unreadReason(error)
      if (reason === undefined) throw error
      findings.addUnread({ file: textOf(path) }, reason)
      if (error instanceof LimitReachedError) throw error
      return undefined
    }
  }

  return scanPath
}

const joined = (folder: BytePath, name: string): BytePath => {
  if (folder === '.') return name
  return folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`
}
