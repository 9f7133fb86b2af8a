import { Argument, Command } from 'commander'
import { completionRows } from './completion-rows.ts'
import { completionScripts } from './completion-scripts.ts'
import { print } from './output.ts'

const help = `
The script knows the commands of this version: create it again after an update. It never starts vitrine.

Examples:
  vitrine completion bash > ~/.local/share/bash-completion/completions/vitrine
  vitrine completion zsh > ~/.zfunc/_vitrine
  vitrine completion fish > ~/.config/fish/completions/vitrine.fish`

/** Given what creates the tree of all commands: the program has loaded this one alone. */
export const completionCommand = (createTree: () => Promise<Command>) =>
  new Command('completion')
    .description('print a script that completes commands, options and values in a shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(completionScripts)))
    .addHelpText('after', help)
    .action(async (shell: keyof typeof completionScripts) => {
      print(completionScripts[shell](await completionRows(await createTree())))
    })
