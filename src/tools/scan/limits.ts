import { UserError } from '../../lib/user-error.ts'

const GIB = 1024 ** 3

/** What a scan may take, whatever lies in its way. Whatever is beyond a limit is reported as not read. */
const LIMITS = {
  /** Of one object: git holds it in memory, with what it is a difference to. Public hosts of repositories take no file above 100 MiB. */
  objectBytes: 128 * 1024 ** 2,
  /** Of everything that is read. A sparse file, or a few kilobytes of git objects, can be larger than any disk; the history of Linux has half as much. */
  totalBytes: 256 * GIB,
  /** For all that is read, and for one process of git. */
  totalMs: 60 * 60_000,
  gitMs: 15 * 60_000,
}

export type Limits = typeof LIMITS

/** Thrown where a scan ends before everything was read. */
export class LimitReached extends UserError {
  override name = 'LimitReached'
}

/** What a scan may still read. */
export class Budget {
  readonly limits: Limits
  readonly #endsAtMs: number
  #bytesLeft: number

  constructor(limits: Partial<Limits> = {}) {
    this.limits = { ...LIMITS, ...limits }
    this.#endsAtMs = performance.now() + this.limits.totalMs
    this.#bytesLeft = this.limits.totalBytes
  }

  take(bytes: number): void {
    this.#bytesLeft -= bytes
    const { totalBytes, totalMs } = this.limits
    if (this.#bytesLeft < 0) throw new LimitReached(`the scan ended after ${sizeText(totalBytes)}; scan less at a time`)
    if (performance.now() > this.#endsAtMs)
      throw new LimitReached(`the scan ended after ${totalMs / 60_000} minutes; scan less at a time`)
  }

  /** For the next process of git. */
  get gitMs(): number {
    return Math.ceil(Math.max(1, Math.min(this.limits.gitMs, this.#endsAtMs - performance.now())))
  }
}

export const sizeText = (bytes: number): string => (bytes >= GIB ? `${bytes / GIB} GiB` : `${bytes / 1024 ** 2} MiB`)

/** Why something was not read; undefined if the error is neither the operating system's nor one of a limit or of git. */
export function unreadReason(error: unknown): string | undefined {
  if (error instanceof UserError) return error.message
  const { code = '', syscall } = error as NodeJS.ErrnoException
  return syscall === undefined ? undefined : (failures[code] ?? `cannot be read (${code})`)
}

const failures: Record<string, string> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'may not be read by this user',
  EPERM: 'may not be read by this user',
  ELOOP: 'is a symbolic link, or became one while it was read',
  ENAMETOOLONG: 'has a path that is too long',
  EIO: 'cannot be read: the disk failed',
}
