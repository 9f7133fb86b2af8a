import { getSystemErrorMessage } from 'node:util'
import { UserError } from '../../lib/user-error.ts'

const GIB = 1024 ** 3

/** Anything beyond a limit is reported as not read. */
const LIMITS = {
  /** Git holds an object and its delta bases in memory. Public hosts accept no file above 100 MiB. */
  objectBytes: 128 * 1024 ** 2,
  /** A sparse file or a few kilobytes of git objects can expand to any size; the history of Linux is half of this. */
  totalBytes: 256 * GIB,
  totalMs: 60 * 60_000,
  gitMs: 15 * 60_000,
}

export type Limits = typeof LIMITS

export class LimitReachedError extends UserError {
  override name = 'LimitReachedError'
}

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
    if (this.#bytesLeft < 0)
      throw new LimitReachedError(`the scan ended after ${sizeText(totalBytes)}; scan less at a time`)
    if (performance.now() > this.#endsAtMs)
      throw new LimitReachedError(`the scan ended after ${totalMs / 60_000} minutes; scan less at a time`)
  }

  get gitMs(): number {
    return Math.ceil(Math.max(1, Math.min(this.limits.gitMs, this.#endsAtMs - performance.now())))
  }
}

export const sizeText = (bytes: number): string => (bytes >= GIB ? `${bytes / GIB} GiB` : `${bytes / 1024 ** 2} MiB`)

/** Undefined if the error is not the operating system's, a limit's or git's. */
export function unreadReason(error: unknown): string | undefined {
  if (error instanceof UserError) return error.message
  const { code, errno, syscall } = error as NodeJS.ErrnoException
  if (syscall === undefined) return undefined
  if (code === 'ENOENT') return 'does not exist'
  // Links are opened only if they are given as a path.
  if (code === 'ELOOP') return 'is a symbolic link, or became one while it was being read'
  return `cannot be read: ${getSystemErrorMessage(errno ?? 0)}`
}
