import { Argument, type Command as BaseCommand } from 'commander'
import { builtInMapNames } from '../import/map/load-map.ts'
import { Command } from './command.ts'
import { type Completion, completionScripts } from './completion-scripts.ts'
import { print, printMessage } from './output.ts'
import { pathOf } from './usage.ts'

const help = `
The script contains this version's commands: create it again after an update. It never runs vitrine.

Examples:
  vitrine completion bash > ~/.local/share/bash-completion/completions/vitrine
  vitrine completion zsh > ~/.zfunc/_vitrine
  vitrine completion fish > ~/.config/fish/completions/vitrine.fish`

/** Only this command is loaded so far; `createTree` loads all commands. */
export const completionCommand = (createTree: () => Promise<BaseCommand>, failure?: Error) =>
  new Command('completion')
    .description('print a script that completes commands, options and values in a shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(completionScripts)))
    .notes(help)
    .action(async (shell: keyof typeof completionScripts) => {
      if (failure !== undefined) printMessage(`vitrine: warning: without your own resources: ${failure.message}`)
      print(completionScripts[shell](completionTable(await createTree(), await builtInMapNames())))
    })

export function completionTable(command: BaseCommand, maps: readonly string[]): Completion[] {
  const path = `vitrine ${pathOf(command)}`.trim()
  const help = command.createHelp()
  const options = help.visibleOptions(command)
  const valued = options.filter(({ required, optional }) => required || optional)
  return [
    {
      after: path,
      words: [
        ...help.visibleCommands(command).map((each) => ({ word: each.name(), about: each.description() })),
        ...command.registeredArguments.flatMap(({ argChoices }) => asWords(argChoices)),
        ...options.map(({ long, description }) => ({ word: long ?? '', about: description })),
      ],
    },
    ...valued.map(({ long, argChoices }) => ({
      after: `${path} ${long}`,
      words: asWords(long === '--map' ? maps : argChoices),
    })),
    ...command.commands.flatMap((each) => completionTable(each, maps)),
  ]
}

const asWords = (values: readonly string[] = []) => values.map((word) => ({ word, about: '' }))
