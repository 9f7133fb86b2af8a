import type { Argument, Command, Option } from 'commander'
import { OptionWithKnownValues } from './known-values.ts'
import { pathOf } from './usage.ts'

/** What can be written for an option or an argument. */
export interface Value {
  name: string
  values: readonly string[]
  /** Whether several may be given, comma-separated. */
  isList: boolean
  isFile: boolean
}

export interface CompletedOption {
  /** Such as -h and --help. */
  flags: string[]
  description: string
  /** Undefined if it takes none. */
  value: Value | undefined
}

/** What can follow the words of a command. */
export interface CompletedCommand {
  /** Such as "key create"; empty for the program itself. */
  path: string
  subcommands: { name: string; description: string }[]
  options: CompletedOption[]
  argument: Value | undefined
}

/** An option or argument is a file if its value is called so in the help. */
const FILE = /^(?:file|folder|path)s?$/i

export async function describeTree(command: Command): Promise<CompletedCommand[]> {
  const help = command.createHelp()
  const [argument] = command.registeredArguments
  const described: CompletedCommand = {
    path: pathOf(command),
    subcommands: help.visibleCommands(command).map((each) => ({ name: each.name(), description: each.description() })),
    options: await Promise.all(help.visibleOptions(command).map(describeOption)),
    argument: argument && describeValue(argument.name(), argument),
  }
  const below = await Promise.all(command.commands.map(describeTree))
  return [described, ...below.flat()]
}

async function describeOption(option: Option): Promise<CompletedOption> {
  const [, name] = /[<[]([^>\]]+)/.exec(option.flags) ?? []
  return {
    flags: [option.short, option.long].filter((flag) => flag !== undefined),
    description: option.description,
    value: name === undefined ? undefined : await optionValue(name, option),
  }
}

async function optionValue(name: string, option: Option): Promise<Value> {
  if (!(option instanceof OptionWithKnownValues)) return describeValue(name, option)
  const { values, isList = false, orFile = false } = option.known
  return { name, values: typeof values === 'function' ? await values() : values, isList, isFile: orFile }
}

const describeValue = (name: string, { argChoices = [] }: Option | Argument): Value => ({
  name: name.replace(/\.\.\.$/, ''),
  values: argChoices,
  isList: false,
  isFile: FILE.test(name.replace(/\.\.\.$/, '')),
})
