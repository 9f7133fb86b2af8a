import { Argument, Command } from 'commander'
import { bashScript } from './completion-bash.ts'
import { fishScript } from './completion-fish.ts'
import { describeTree } from './completion-tree.ts'
import { zshScript } from './completion-zsh.ts'
import { print } from './output.ts'

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript }
type Shell = keyof typeof scripts

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
    .addArgument(new Argument('<shell>').choices(Object.keys(scripts)))
    .addHelpText('after', help)
    .action(async (shell: Shell) => {
      print(scripts[shell](await describeTree(await createTree())))
    })
