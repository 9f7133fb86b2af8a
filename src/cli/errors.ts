import { getSystemErrorMessage } from 'node:util'
import { StorageError } from '../database/errors.ts'
import { InvalidValueError, UserError } from '../lib/user-error.ts'

export const ExitCode = { success: 0, failure: 1, usage: 2 } as const

export class UsageError extends InvalidValueError {
  override name = 'UsageError'
}

export const exitCodeOf = (error: unknown): number =>
  error instanceof InvalidValueError ? ExitCode.usage : ExitCode.failure

export const messageOf = (error: unknown): string =>
  isExpected(error)
    ? error.message
    : (fileErrorMessage(error) ?? `unexpected failure: ${String((error as Error).message).split('\n')[0]}`)

/** Only expected errors have messages that were written for the operator. */
export const isExpected = (error: unknown): error is Error =>
  error instanceof UserError || error instanceof StorageError

function fileErrorMessage(error: unknown): string | undefined {
  const { errno, path, dest = path } = error as NodeJS.ErrnoException & { dest?: string }
  return errno === undefined || dest === undefined ? undefined : `${dest}: ${getSystemErrorMessage(errno)}`
}
