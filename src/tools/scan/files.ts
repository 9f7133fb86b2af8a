import { closeSync, constants, type Dirent, fstatSync, openSync, readdirSync, realpathSync, statSync } from 'node:fs'
import { relative } from 'node:path'
import { fillBuffer } from '../../lib/small-file.ts'
import { UserError } from '../../lib/user-error.ts'
import { contentSearch, type Scan } from './content.ts'
import type { Source } from './findings.ts'
import { commonGitFolder, isGitFolder, kindOfEntry } from './git-repository.ts'
import { LimitReachedError, unreadReason } from './limits.ts'
import { TokenFinder } from './token-finder.ts'

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
  const { findings, budget, isExcluded } = scan
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
      if (isGit) await meetGitFolder(textOf(path), isNamed || path === joined(start, '.git') ? undefined : root)
      for (const entry of entries) {
        const inner = joined(path, entry.name)
        if (leavesOut(inner, entry)) continue
        if (entry.isDirectory()) {
          if (!isGit || entry.name !== 'objects') waiting.push(inner)
          continue
        }
        const gitFolder = entry.name === '.git' && entry.isFile() ? commonGitFolder(textOf(inner)) : undefined
        if (gitFolder !== undefined) await meetGitFolder(gitFolder, isNamed ? undefined : root)
        scanFile(inner, LISTED)
      }
    }
  }

  function leavesOut(path: BytePath, entry: Dirent): boolean {
    const isFolder = entry.isDirectory()
    if (!isFolder && !entry.isFile()) {
      findings.skip(kindOfEntry(entry))
      return true
    }
    if (!isExcluded?.(`${relative('.', textOf(path))}${isFolder ? '/' : ''}`)) return false
    findings.skip(isFolder ? 'excluded folder' : 'excluded file')
    return true
  }

  function scanFile(path: BytePath, flags: number): void {
    attempt(path, () => {
      const file = openSync(bytesOf(path), flags)
      try {
        const isRegular = fstatSync(file).isFile()
        if (!isRegular && flags === LISTED) throw new UserError('was replaced while it was being read')
        findings.files++
        const source = { file: textOf(path) }
        if (isRegular) scanRegular(file, source)
        else read(file, undefined, contentSearch(scan, source))
      } finally {
        closeSync(file)
      }
    })
  }

  /** Counting lines takes as long as searching, so only a file that contains a key is read again to locate it. */
  function scanRegular(file: number, source: Source): void {
    let isMissing = false
    const onKey = () => {
      isMissing = true
    }
    read(file, 0, contentSearch(scan, source, new TokenFinder(onKey, { countsLines: false })))
    if (!isMissing) return
    const finder = new TokenFinder(({ token, line, column }) => {
      isMissing = false
      findings.found(token, { ...source, line, column })
    })
    read(file, 0, (piece) => {
      budget.take(piece.length)
      finder.push(piece)
    })
    if (isMissing) findings.notRead(source, 'contained a key, and changed while it was being read')
  }

  /** A pipe has no positions. */
  function read(file: number, start: 0 | undefined, onPiece: (piece: Buffer, isLast: boolean) => void): void {
    for (let at = 0, length = CHUNK_BYTES; length === CHUNK_BYTES; at += length) {
      length = fillBuffer(file, buffer, start === undefined ? undefined : at)
      onPiece(buffer.subarray(0, length), length < CHUNK_BYTES)
    }
  }

  async function meetGitFolder(folder: string, root: string | undefined): Promise<void> {
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
      findings.notRead({ file: textOf(path) }, reason)
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
