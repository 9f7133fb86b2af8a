import type { Command } from 'commander'
import { durationMs } from '../../lib/duration.ts'
import { redactTokens } from '../../lib/redact.ts'
import { UsageError } from '../errors.ts'
import { helpAsCalled, isJson } from './output.ts'

export function parseDuration(text: string, option: string, form = 'a duration such as 90d, 24h or 30m'): number {
  const ms = durationMs(text)
  if (ms === undefined) throw new UsageError(`${option}: must be ${form}`)
  return ms
}

export const parseCount = (option: string) => (text: string) => {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new UsageError(`${option}: must be a positive whole number`)
  return Number(text)
}

export const parseLimit = parseCount('--limit')

export function configure(command: Command): void {
  command.option('--env-file <file>', 'read settings from NAME=value lines; environment variables take precedence')
  rejectEmptyAndRepeated(command)
  command
    .exitOverride()
    .showHelpAfterError('(see --help)')
    .configureOutput({
      // JSON errors are printed by the code that catches them.
      writeOut: (text) => process.stdout.write(helpAsCalled(text)),
      writeErr: (text) => isJson() || process.stderr.write(redactTokens(helpAsCalled(text))),
      outputError: (text, write) => write(onOneLine(text)),
    })
}

/** Commander puts its suggestion on a separate line. */
export const onOneLine = (message: string): string => message.replace(/\n(?=\(Did you mean)/, ' ')

/** Commander silently drops all but the last value of an option. Empty values are often unset shell variables. */
function rejectEmptyAndRepeated(command: Command): void {
  for (const option of command.options) {
    let wasGiven = false
    command.on(`option:${option.name()}`, (value: unknown) => {
      if (wasGiven && !Array.isArray(option.defaultValue))
        throw new UsageError(`--${option.name()}: can be given only once`)
      wasGiven = true
      if (value === '') throw new UsageError(`--${option.name()}: must not be empty`)
    })
  }
  command.hook('preAction', ({ registeredArguments, args }) => {
    const argument = registeredArguments[Math.min(args.indexOf(''), registeredArguments.length - 1)]
    if (argument !== undefined) throw new UsageError(`<${argument.name()}>: must not be empty`)
  })
}
