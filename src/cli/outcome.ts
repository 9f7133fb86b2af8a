import { ConfigError } from '../config.ts'
import { Refusal } from '../gate/keys.ts'
import { redactTokens } from '../redact.ts'
import { StorageError } from '../storage/store.ts'

export const ExitCode = { done: 0, failed: 1, misused: 2 } as const

/** An option or argument that cannot be used. */
export class Misuse extends Error {
  override name = 'Misuse'
}

/** Says in one line what went wrong, and gives the exit code for it. */
export function complain(error: unknown): number {
  const { message } = error as Error
  if (error instanceof Misuse) {
    say(`vitrine: ${message}`)
    return ExitCode.misused
  }
  say(`vitrine: ${isForeseen(error) ? message : `unexpected failure: ${String(message).split('\n')[0]}`}`)
  return ExitCode.failed
}

/** Whether its message was written for whoever runs the program. */
export const isForeseen = (error: unknown): error is Error =>
  error instanceof ConfigError || error instanceof Refusal || error instanceof StorageError

/** Words go to stderr: stdout is for results. They may quote what was typed, and somebody may have typed a key. */
export const say = (line: string): void => {
  process.stderr.write(`${redactTokens(line)}\n`)
}
