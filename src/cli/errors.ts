import { ConfigError } from '../config.ts'
import { StorageError } from '../database/errors.ts'
import { InvalidValueError, UserError } from '../lib/user-error.ts'

export const ExitCode = { success: 0, failure: 1, usage: 2 } as const

/** An option or argument that cannot be used. */
export class UsageError extends Error {
  override name = 'UsageError'
}

export const exitCodeOf = (error: unknown): number =>
  error instanceof UsageError || error instanceof InvalidValueError ? ExitCode.usage : ExitCode.failure

/** The message shown to the operator. */
export const messageOf = (error: unknown): string =>
  isExpected(error)
    ? error.message
    : (fileErrorMessage(error) ?? `unexpected failure: ${String((error as Error).message).split('\n')[0]}`)

/** Whether its message was written for the operator. */
export const isExpected = (error: unknown): error is Error =>
  error instanceof UsageError ||
  error instanceof ConfigError ||
  error instanceof UserError ||
  error instanceof StorageError

const fileErrors: Record<string, string> = {
  ENOENT: 'no such file or folder',
  ENOTDIR: 'one of its folders is a file',
  EISDIR: 'is a folder, not a file',
  EACCES: 'permission denied; check the permissions of this user',
  EPERM: 'permission denied; check the permissions of this user',
  EROFS: 'is on a read-only disk',
  ENOSPC: 'the disk is full; free some space and try again',
  EDQUOT: 'the disk quota of this user is used up; free some space and try again',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'too many symbolic links',
  EMFILE: 'too many files are open; raise the limit (ulimit -n)',
  ENFILE: 'too many files are open on this machine',
  EIO: 'the disk failed; check it',
}

/** Undefined unless the operating system named a file. */
function fileErrorMessage(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', path, dest } = error as NodeJS.ErrnoException & { dest?: string }
  const message = fileErrors[code]
  const file = dest ?? path
  return message === undefined || file === undefined ? undefined : `${file}: ${message}`
}
