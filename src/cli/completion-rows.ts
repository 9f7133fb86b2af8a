import type { Argument, Command, Option } from 'commander'
import { OptionWithKnownValues } from './known-values.ts'
import { pathOf } from './usage.ts'

/** An option or argument is a file if its value is called so in the help. */
const FILE = /^(?:file|folder|path)s?$/i

/**
 * What can be written after each command, as rows of five cells that | separates: the command, such as `key create`; a word; its kind
 * (`command`, `flag`, or what its value is: `value`, `list` or `file`); the known values; what it means. The command's argument is the
 * row without a word, behind the others.
 */
export async function completionRows(command: Command): Promise<string[]> {
  const help = command.createHelp()
  const row = (word: string, what: string, about: string) => `${pathOf(command)}|${word}|${what}|${about}`
  const options = await Promise.all(
    help.visibleOptions(command).map(async (option) => {
      const [, name] = /[<[]([^>\]]+)/.exec(option.flags) ?? []
      const what = name === undefined ? 'flag|' : await optionKind(name, option)
      return [option.short, option.long].flatMap((flag) => (flag ? [row(flag, what, option.description)] : []))
    }),
  )
  const below = await Promise.all(command.commands.map(completionRows))
  return [
    ...help.visibleCommands(command).map((each) => row(each.name(), 'command|', each.description())),
    ...options.flat(),
    ...command.registeredArguments.slice(0, 1).map((argument) => row('', kindOf(argument.name(), argument), '')),
    ...below.flat(),
  ]
}

async function optionKind(name: string, option: Option): Promise<string> {
  if (!(option instanceof OptionWithKnownValues)) return kindOf(name, option)
  const { values, isList, orFile } = option.known
  const words = typeof values === 'function' ? await values() : values
  return `${isList ? 'list' : orFile ? 'file' : 'value'}|${words.join(' ')}`
}

const kindOf = (name: string, { argChoices = [] }: Option | Argument): string =>
  `${FILE.test(name.replace(/\.\.\.$/, '')) ? 'file' : 'value'}|${argChoices.join(' ')}`
