import { ConfigError } from '../config.ts'
import { StorageError } from '../database/errors.ts'
import { redactTokens } from '../lib/redact.ts'
import { InvalidValueError, UserError } from '../lib/user-error.ts'
import { systemFault } from './system-faults.ts'

export const ExitCode = { done: 0, failed: 1, misused: 2 } as const

const LONGEST_LINE = 1000

/** An option or argument that cannot be used. */
export class Misuse extends Error {
  override name = 'Misuse'
}

/** Says in one line what went wrong, and gives the exit code for it. */
export function complain(error: unknown): number {
  say(`vitrine: ${oneLine(messageOf(error))}`)
  return error instanceof Misuse || error instanceof InvalidValueError ? ExitCode.misused : ExitCode.failed
}

/** The message shown to whoever runs the program. */
export const messageOf = (error: unknown): string =>
  isForeseen(error)
    ? error.message
    : (systemFault(error) ?? `unexpected failure: ${String((error as Error).message).split('\n')[0]}`)

/** A value that is repeated in a message may be anything. */
const oneLine = (message: string): string => {
  const line = message.replace(/\p{Cc}/gu, '\uFFFD')
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line
}

/** Whether its message was written for whoever runs the program. */
export const isForeseen = (error: unknown): error is Error =>
  error instanceof Misuse || error instanceof ConfigError || error instanceof UserError || error instanceof StorageError

/** Words go to stderr: stdout is for results. They may quote what was typed, and somebody may have typed a key. */
export const say = (line: string): void => {
  process.stderr.write(`${redactTokens(line)}\n`)
}
