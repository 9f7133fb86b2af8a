import { Argument, Command, type Option } from 'commander'
import { readyMapNames } from '../import/map/load-map.ts'
import { completionScripts } from './completion-scripts.ts'
import { print } from './output.ts'
import { pathOf } from './usage.ts'

const help = `
The script knows the commands of this version: create it again after an update. It never starts vitrine.

Examples:
  vitrine completion bash > ~/.local/share/bash-completion/completions/vitrine
  vitrine completion zsh > ~/.zfunc/_vitrine
  vitrine completion fish > ~/.config/fish/completions/vitrine.fish`

/** `createTree` creates the tree of all commands: the program has loaded only this one. */
export const completionCommand = (createTree: () => Promise<Command>) =>
  new Command('completion')
    .description('print a script that completes commands, options and values in a shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(completionScripts)))
    .addHelpText('after', help)
    .action(async (shell: keyof typeof completionScripts) => {
      print(completionScripts[shell](completionRows(await createTree(), await readyMapNames())))
    })

/**
 * What can be written after each command, as rows of five cells that | separates: the command, such as `key create`; a word; its
 * kind (`command`, `flag`, or that of its value: `value`, `list` or `file`); the known values; what it means. The command's
 * argument is the row without a word, behind the others.
 */
export function completionRows(command: Command, maps: readonly string[]): string[] {
  const commandHelp = command.createHelp()
  const row = (word: string, what: string, about: string) => `${pathOf(command)}|${word}|${what}|${about}`
  return [
    ...commandHelp.visibleCommands(command).map((each) => row(each.name(), 'command|', each.description())),
    ...commandHelp
      .visibleOptions(command)
      .flatMap((option) =>
        [option.short, option.long].flatMap((flag) =>
          flag ? row(flag, optionValue(option, maps), option.description) : [],
        ),
      ),
    ...command.registeredArguments
      .slice(0, 1)
      .map((argument) => row('', kindAndValues(argument.name(), argument.argChoices), '')),
    ...command.commands.flatMap((each) => completionRows(each, maps)),
  ]
}

function optionValue({ flags, argChoices }: Option, maps: readonly string[]): string {
  const [, name] = /[<[]([^>\]]+)/.exec(flags) ?? []
  return name === undefined ? 'flag|' : kindAndValues(name, name === 'map' ? maps : argChoices)
}

/** The kind follows from what the value is called in the help. */
function kindAndValues(name: string, values: readonly string[] = []): string {
  const kind = /^(?:file|folder|path|map)s?(?:\.\.\.)?$/i.test(name) ? 'file' : name === 'list' ? 'list' : 'value'
  return `${kind}|${values.join(' ')}`
}
