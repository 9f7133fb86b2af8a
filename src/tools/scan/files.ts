import { closeSync, constants, type Dirent, fstatSync, openSync, readdirSync, readSync, realpathSync } from 'node:fs'
import { relative } from 'node:path'
import { fillBuffer } from '../../lib/small-file.ts'
import { finderFor, noteStart, scanWhole } from './content.ts'
import type { IsExcluded } from './excluded.ts'
import type { Findings, Source } from './findings.ts'
import { commonGitFolder, isGitFolder } from './git-repository.ts'
import { type Budget, LimitReached } from './limits.ts'
import { CHUNK_BYTES, kindOfEntry, readFailure } from './open-file.ts'
import { TokenFinder } from './token-finder.ts'

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
  readonly #findings: Findings
  readonly #budget: Budget
  readonly #isExcluded: IsExcluded | undefined
  readonly #onGitFolder: OnGitFolder
  readonly #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  readonly #gitFolders = new Set<string>()

  /** `onGitFolder` is called once for each folder of git. */
  constructor(findings: Findings, budget: Budget, isExcluded: IsExcluded | undefined, onGitFolder: OnGitFolder) {
    this.#findings = findings
    this.#budget = budget
    this.#isExcluded = isExcluded
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
      this.#findings.skip(kindOfEntry(entry))
      return true
    }
    if (!this.#isExcluded?.(`${relative('.', textOf(path))}${isFolder ? '/' : ''}`)) return false
    this.#findings.skip(isFolder ? 'excluded folder' : 'excluded file')
    return true
  }

  #scanListed(path: BytePath): void {
    const file = this.#try(path, () => openSync(bytesOf(path), LISTED))
    if (file === undefined) return
    try {
      if (fstatSync(file).isFile()) this.#try(path, () => this.#scanOpen(file, textOf(path)))
      else this.#findings.notRead({ file: textOf(path) }, 'was replaced while it was read')
    } finally {
      closeSync(file)
    }
  }

  #scanOpen(file: number, path: string): void {
    const source = { file: path }
    const length = fillBuffer(file, this.#buffer)
    const start = this.#buffer.subarray(0, length)
    this.#findings.files++
    if (length < CHUNK_BYTES) {
      scanWhole(this.#findings, source, start, this.#budget)
      return
    }
    noteStart(this.#findings, start)
    if (fstatSync(file).isFile()) this.#scanLarge(file, source)
    else this.#read(file, length, finderFor(this.#findings, source))
  }

  /** To count lines takes nine times as long as to search: only a file that holds a key is read once more, for its places. */
  #scanLarge(file: number, source: Source): void {
    let holdsToken = false
    const onFound = () => {
      holdsToken = true
    }
    this.#read(file, CHUNK_BYTES, new TokenFinder(onFound, { countsLines: false }))
    if (holdsToken) this.#findIn(file, source)
  }

  /** To its end, of what has more than the first part, which is in the buffer. */
  #read(file: number, firstLength: number, finder: TokenFinder): void {
    for (let length = firstLength; length > 0; length = fillBuffer(file, this.#buffer)) {
      this.#budget.take(length)
      this.#findings.bytes += length
      finder.push(this.#buffer.subarray(0, length))
    }
  }

  #findIn(file: number, source: Source): void {
    let isFound = false
    const finder = new TokenFinder(({ token, line, column }) => {
      isFound = true
      this.#findings.found(token, { ...source, line, column })
    })
    for (let at = 0, length = 0; ; at += length) {
      length = readSync(file, this.#buffer, 0, CHUNK_BYTES, at)
      if (length === 0) break
      this.#budget.take(length)
      finder.push(this.#buffer.subarray(0, length))
    }
    if (!isFound) this.#findings.notRead(source, 'held a key, and was changed while it was read')
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
      const reason = error instanceof LimitReached ? error.message : readFailure(error)
      if (reason !== undefined) this.#findings.notRead({ file: textOf(path) }, reason)
      if (reason === undefined || error instanceof LimitReached) throw error
      return undefined
    }
  }
}

const joined = (folder: BytePath, name: string): BytePath => {
  if (folder === '.') return name
  return folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`
}
