import { closeSync, constants, type Dirent, fstatSync, openSync, readdirSync, realpathSync } from 'node:fs'
import { relative } from 'node:path'
import { fillBuffer } from '../../lib/fill-buffer.ts'
import { contentSearch, placeFinder, type Scan } from './content.ts'
import type { Source } from './findings.ts'
import { commonGitFolder, isGitFolder, kindOfEntry } from './git-repository.ts'
import { LimitReached, unreadReason } from './limits.ts'
import { TokenFinder } from './token-finder.ts'

/** Few calls for large files, and little memory. */
const CHUNK_BYTES = 1024 * 1024

/** A path as its bytes, one character for each: on Linux it need not be UTF-8. */
type BytePath = string
const BEYOND_ASCII = /[^\0-\x7f]/
const bytesOf = (path: BytePath): Buffer | string => (BEYOND_ASCII.test(path) ? Buffer.from(path, 'latin1') : path)
const textOf = (path: BytePath): string => bytesOf(path).toString()

/** What has become a link or a pipe since it was listed is not opened. */
const LISTED = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * Reads the objects of a repository through git. Without a root it is one that the user named; otherwise nothing outside of the root
 * is read.
 */
type OnGitFolder = (folder: string, root: string | undefined) => Promise<void>

/** Reads files one after the other, without the thread pool: most are small, and a hop to it takes longer than reading one. */
export class FileScanner {
  readonly #scan: Scan
  readonly #onGitFolder: OnGitFolder
  readonly #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  readonly #gitFolders = new Set<string>()

  /** `onGitFolder` is called once for each folder of git. */
  constructor(scan: Scan, onGitFolder: OnGitFolder) {
    this.#scan = scan
    this.#onGitFolder = onGitFolder
  }

  /** A path that was named is followed if it is a symbolic link, and read if it is a pipe; those in folders are not. */
  async scan(path: string): Promise<void> {
    const start = Buffer.from(path).toString('latin1')
    const file = this.#try(start, () => openSync(path, constants.O_RDONLY))
    if (file === undefined) return
    try {
      if (!fstatSync(file).isDirectory()) this.#try(start, () => this.#scanOpen(file, path))
      else await this.#scanFolder(start, realpathSync(path))
    } finally {
      closeSync(file)
    }
  }

  async #scanFolder(start: BytePath, root: string): Promise<void> {
    const waiting = [start]
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      const path = folder
      const entries = this.#try(path, () => readdirSync(bytesOf(path), { withFileTypes: true, encoding: 'latin1' }))
      if (entries === undefined) continue
      const isGit = isGitFolder(entries)
      const isNamed = path === start
      if (isGit) await this.#meetGitFolder(textOf(path), isNamed || path === joined(start, '.git') ? undefined : root)
      for (const entry of entries) {
        const inner = joined(path, entry.name)
        if (this.#leavesOut(inner, entry)) continue
        if (entry.isDirectory()) {
          if (!isGit || entry.name !== 'objects') waiting.push(inner)
          continue
        }
        const gitFolder = entry.name === '.git' && entry.isFile() ? commonGitFolder(textOf(inner)) : undefined
        if (gitFolder !== undefined) await this.#meetGitFolder(gitFolder, isNamed ? undefined : root)
        this.#scanListed(inner)
      }
    }
  }

  /** By its kind, or because the user said so. */
  #leavesOut(path: BytePath, entry: Dirent): boolean {
    const isFolder = entry.isDirectory()
    if (!isFolder && !entry.isFile()) {
      this.#scan.findings.skip(kindOfEntry(entry))
      return true
    }
    if (!this.#scan.isExcluded?.(`${relative('.', textOf(path))}${isFolder ? '/' : ''}`)) return false
    this.#scan.findings.skip(isFolder ? 'excluded folder' : 'excluded file')
    return true
  }

  #scanListed(path: BytePath): void {
    const file = this.#try(path, () => openSync(bytesOf(path), LISTED))
    if (file === undefined) return
    try {
      if (fstatSync(file).isFile()) this.#try(path, () => this.#scanOpen(file, textOf(path)))
      else this.#scan.findings.notRead({ file: textOf(path) }, 'was replaced while it was read')
    } finally {
      closeSync(file)
    }
  }

  #scanOpen(file: number, path: string): void {
    const source = { file: path }
    this.#scan.findings.files++
    const stats = fstatSync(file)
    const isRegular = stats.isFile()
    if (isRegular && stats.size > CHUNK_BYTES) this.#scanLarge(file, source)
    else this.#read(file, isRegular, contentSearch(this.#scan, placeFinder(this.#scan, source)))
  }

  /** To count lines takes nine times as long as to search: only a file that holds a key is read again, for its places. */
  #scanLarge(file: number, source: Source): void {
    let found = 0
    const finder = new TokenFinder(() => found++, { countsLines: false })
    this.#read(file, true, contentSearch(this.#scan, finder))
    if (found === 0) return
    found = 0
    const places = new TokenFinder(({ token, line, column }) => {
      found++
      this.#scan.findings.found(token, { ...source, line, column })
    })
    this.#read(file, true, (piece) => {
      this.#scan.budget.take(piece.length)
      places.push(piece)
    })
    if (found === 0) this.#scan.findings.notRead(source, 'held a key, and was changed while it was read')
  }

  #read(file: number, isSeekable: boolean, onPiece: (piece: Buffer, isLast: boolean) => void): void {
    for (let at = 0, length = CHUNK_BYTES; length === CHUNK_BYTES; at += length) {
      length = fillBuffer(file, this.#buffer, isSeekable ? at : undefined)
      onPiece(this.#buffer.subarray(0, length), length < CHUNK_BYTES)
    }
  }

  async #meetGitFolder(folder: string, root: string | undefined): Promise<void> {
    const real = this.#try(Buffer.from(folder).toString('latin1'), () => realpathSync(folder))
    if (real === undefined || this.#gitFolders.has(real)) return
    this.#gitFolders.add(real)
    await this.#onGitFolder(folder, root)
  }

  #try<T>(path: BytePath, work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      const reason = unreadReason(error)
      if (reason === undefined) throw error
      this.#scan.findings.notRead({ file: textOf(path) }, reason)
      if (error instanceof LimitReached) throw error
      return undefined
    }
  }
}

const joined = (folder: BytePath, name: string): BytePath => {
  if (folder === '.') return name
  return folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`
}
