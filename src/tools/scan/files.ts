import { closeSync, constants, type Dirent, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { KIND_BYTES, kindOf } from '../../lib/archives/kind.ts'
import { ArchiveError, Budget } from '../../lib/archives/limits.ts'
import { fillBuffer } from '../../lib/fill-buffer.ts'
import { finderFor, scanStream, scanZip } from './content.ts'
import type { Findings, Source } from './findings.ts'
import { commonGitFolder, isGitFolder } from './git-folder.ts'
import { CHUNK_BYTES, randomAccess, readFailure, restOf } from './open-file.ts'
import { TokenFinder } from './token-finder.ts'

/** A path as its bytes, one character for each: on Linux it need not be UTF-8. */
type BytePath = string
const BEYOND_ASCII = /[^\0-\x7f]/
const bytesOf = (path: BytePath): Buffer | string => (BEYOND_ASCII.test(path) ? Buffer.from(path, 'latin1') : path)
const textOf = (path: BytePath): string => bytesOf(path).toString()

/** What has become a link or a pipe since it was listed is not opened. */
const LISTED = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Reads files one after the other, without the thread pool: most are small, and a hop to it takes longer than reading one. */
export class FileScanner {
  readonly #findings: Findings
  readonly #onGitFolder: (folder: string) => Promise<void>
  readonly #buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
  readonly #gitFolders = new Set<string>()

  /** `onGitFolder` is called once for each folder of git, whose objects are to be read through git. */
  constructor(findings: Findings, onGitFolder: (folder: string) => Promise<void>) {
    this.#findings = findings
    this.#onGitFolder = onGitFolder
  }

  /** A path that was named is followed if it is a symbolic link; those in folders are not. */
  async scan(path: string): Promise<void> {
    const start = Buffer.from(path).toString('latin1')
    const stats = this.#try(start, () => statSync(path))
    if (stats === undefined) return
    if (stats.isDirectory()) await this.#scanFolder(start)
    else await this.#scanFile(start, constants.O_RDONLY, { isSeekable: stats.isFile() })
  }

  async #scanFolder(start: BytePath): Promise<void> {
    const waiting = [start]
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      const path = folder
      const entries = this.#try(path, () => readdirSync(bytesOf(path), { withFileTypes: true, encoding: 'latin1' }))
      if (entries === undefined) continue
      const isGit = isGitFolder(entries)
      if (isGit) await this.#meetGitFolder(textOf(path))
      for (const entry of entries) {
        const inner = joined(path, entry.name)
        if (!entry.isDirectory()) {
          const rest = this.#scanEntry(entry, inner)
          if (rest !== undefined) await rest
        } else if (!isGit || entry.name !== 'objects') waiting.push(inner)
      }
    }
  }

  #scanEntry(entry: Dirent, path: BytePath): Promise<void> | undefined {
    if (!entry.isFile()) {
      this.#findings.skip(kindOfEntry(entry))
      return undefined
    }
    const folder = entry.name === '.git' ? commonGitFolder(textOf(path)) : undefined
    if (folder === undefined) return this.#scanFile(path, LISTED)
    return this.#meetGitFolder(folder).then(() => this.#scanFile(path, LISTED))
  }

  /** Undefined if it is done, which it is at once for all but archives. */
  #scanFile(path: BytePath, flags: number, { isSeekable = true } = {}): Promise<void> | undefined {
    const file = this.#try(path, () => openSync(bytesOf(path), flags))
    if (file === undefined) return undefined
    const rest = this.#try(path, () => this.#scanOpen(file, textOf(path), isSeekable))
    if (rest === undefined) closeSync(file)
    return rest?.catch((error) => this.#failed(path, error)).finally(() => closeSync(file))
  }

  #scanOpen(file: number, path: string, isSeekable: boolean): Promise<void> | undefined {
    const buffer = this.#buffer
    const source = { file: path }
    const length = fillBuffer(file, buffer)
    this.#findings.files++
    const kind = kindOf(buffer.subarray(0, Math.min(length, KIND_BYTES)))
    if (!isSeekable || (kind !== undefined && kind !== 'zip'))
      return this.#scanAsStream(file, path, buffer.subarray(0, length))
    if (length < CHUNK_BYTES) {
      this.#findings.bytes += length
      finderFor(this.#findings, source).push(buffer.subarray(0, length), { isLast: true })
    } else if (this.#holdsToken(file, length)) this.#findIn(file, source)
    return kind === 'zip' ? scanZip(this.#findings, source, randomAccess(file), new Budget()) : undefined
  }

  /** Of a large file, of which the first part is in the buffer. To count its lines takes as long as to search it. */
  #holdsToken(file: number, firstLength: number): boolean {
    let holdsToken = false
    const finder = new TokenFinder(
      () => {
        holdsToken = true
      },
      { countsLines: false },
    )
    for (let length = firstLength; length > 0; length = fillBuffer(file, this.#buffer)) {
      this.#findings.bytes += length
      finder.push(this.#buffer.subarray(0, length))
    }
    return holdsToken
  }

  /** Reads it once more, from its beginning, for the lines and columns. */
  #findIn(file: number, source: Source): void {
    let isFound = false
    const finder = new TokenFinder(({ token, line, column }) => {
      isFound = true
      this.#findings.found(token, { ...source, line, column })
    })
    for (let at = 0, length = 0; ; at += length) {
      length = readSync(file, this.#buffer, 0, CHUNK_BYTES, at)
      if (length === 0) break
      finder.push(this.#buffer.subarray(0, length))
    }
    if (!isFound) this.#findings.notRead(source, 'held a key, and was changed while it was read')
  }

  #scanAsStream(file: number, path: string, start: Buffer): Promise<void> {
    const copy = Buffer.from(start)
    const chunks = async function* () {
      yield copy
      yield* restOf(file)
    }
    return scanStream(this.#findings, { file: path }, chunks(), new Budget())
  }

  async #meetGitFolder(folder: string): Promise<void> {
    if (this.#gitFolders.has(folder)) return
    this.#gitFolders.add(folder)
    await this.#onGitFolder(folder)
  }

  #try<T>(path: BytePath, work: () => T): T | undefined {
    try {
      return work()
    } catch (error) {
      this.#failed(path, error)
      return undefined
    }
  }

  #failed(path: BytePath, error: unknown): void {
    const reason = error instanceof ArchiveError ? error.message : readFailure(error)
    if (reason === undefined) throw error
    this.#findings.notRead({ file: textOf(path) }, reason)
  }
}

const joined = (folder: BytePath, name: string): BytePath => {
  if (folder === '.') return name
  return folder.endsWith('/') ? `${folder}${name}` : `${folder}/${name}`
}

function kindOfEntry(entry: Dirent): string {
  if (entry.isSymbolicLink()) return 'symbolic link'
  if (entry.isSocket()) return 'socket'
  return entry.isFIFO() ? 'pipe' : 'device'
}
