import { Command } from 'commander'
import { settings } from '../config.ts'
import { redactTokens } from '../lib/redact.ts'
import { UsageError } from './errors.ts'
import { areErrorsJson, styledMessage } from './output.ts'

/** Which is taken out of the words before a command sees them; it is declared for the help. */
export const ENV_FILE_OPTION = '--env-file'
const ENV_FILE_HELP = 'read settings from a file of lines NAME=value; the environment wins over it'

/** What all commands do with the words that they are given: refuse what is wrong, and name it. */
export function configure(command: Command): void {
  command.option(`${ENV_FILE_OPTION} <file>`, ENV_FILE_HELP)
  refuseEmptyAndRepeated(command)
  nameTyposFirst(command)
  command
    .exitOverride()
    .showHelpAfterError("(add --help to see how it's used)")
    .configureOutput({
      // As JSON an error is told once, by whoever catches it.
      writeErr: (text) => areErrorsJson() || process.stderr.write(redactTokens(text)),
      outputError: (text, write) => write(styledMessage(inOneLine(text))),
    })
}

/** Commander puts its suggestion into a line of its own. */
export const inOneLine = (message: string): string => message.replace(/\n(?=\(Did you mean)/, ' ')

/** Of a repeated option one value would be ignored silently, unless it is a list, and an empty value is a shell variable that is not set. */
function refuseEmptyAndRepeated(command: Command): void {
  for (const option of command.options) {
    let isGiven = false
    command.on(`option:${option.name()}`, (value: unknown) => {
      if (isGiven && !Array.isArray(option.defaultValue))
        throw new UsageError(`--${option.name()}: was given twice; give it once`)
      isGiven = true
      if (value === '') throw new UsageError(`--${option.name()}: must not be empty`)
    })
  }
  command.hook('preAction', ({ registeredArguments, args }) => {
    const empty = registeredArguments.find((_, i) => args[i] === '')
    if (empty !== undefined) throw new UsageError(`<${empty.name()}>: must not be empty`)
  })
}

/** Of a misspelt option commander would say that the right one is missing; and of a subcommand, that it is a word too many. */
function nameTyposFirst(command: Command): void {
  const parseOptions = command.parseOptions.bind(command)
  command.parseOptions = (words) => {
    const parsed = parseOptions(words)
    const { operands, unknown } = parsed
    const isLeaf = operands[0] === undefined || command.commands.every((each) => each.name() !== operands[0])
    const isHelp = unknown.some((word) => word === '--help' || word === '-h')
    if (!isLeaf || isHelp || command.parent === null) return parsed
    if (unknown.length > 0) {
      refuseSetting(command, unknown)
      for (const option of command.options) option.makeOptionMandatory(false)
    } else if (operands[0] !== undefined && operands[0] !== 'help' && command.commands.length > 0)
      refuseSubcommand(command, operands[0])
    return parsed
  }
}

/** As commander does in a group of commands that does nothing by itself. */
function refuseSubcommand(command: Command, word: string): void {
  const group = new Command(command.name()).copyInheritedSettings(command)
  for (const each of command.commands) group.command(each.name())
  group.parse([word], { from: 'user' })
}

/** Of these, all settings count; for other commands only where the data is. */
const SERVING = ['serve', 'demo', 'doctor']
const SECRET = /SECRET|TOKEN|HEADER|URL/

/** Settings come from the environment alone; many other servers take them as options. */
function refuseSetting(command: Command, [word = '', next]: readonly string[]): void {
  const [flag = '', given = next] = word.split(/=(.*)/s)
  const name = flag.replace(/^--/, '').replaceAll('-', '_').toUpperCase()
  if (!flag.startsWith('--') || !Object.hasOwn(settings, name)) return
  const path = pathOf(command)
  if (name !== 'DATABASE_URL' && !SERVING.includes(path)) return
  const isShown = given !== undefined && !SECRET.test(name) && /^[\w.:-]{1,64}$/.test(given) && !given.startsWith('-')
  throw new UsageError(
    `unknown option '${flag}'; set ${name} instead: ${name}=${isShown ? given : '…'} vitrine ${path}`,
  )
}

/** The words that call it, such as "key create". */
export const pathOf = (command: Command): string =>
  command.parent === null ? '' : `${pathOf(command.parent)} ${command.name()}`.trim()
