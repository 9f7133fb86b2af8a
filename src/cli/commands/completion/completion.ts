import { readFileSync } from 'node:fs'
import { Argument, type Command as BaseCommand } from 'commander'
import { builtInMapNames } from '../../../import/map/load-map.ts'
import { Command } from '../../command.ts'
import { print, printMessage } from '../../terminal/output.ts'
import { commandPath } from '../../terminal/usage.ts'

const help = `
The script contains this version's commands: create it again after an update. It never runs vitrine.

Examples:
  vitrine completion bash > ~/.local/share/bash-completion/completions/vitrine
  vitrine completion zsh > ~/.zfunc/_vitrine
  vitrine completion fish > ~/.config/fish/completions/vitrine.fish`

/** Only this command is loaded so far; `createTree` loads all commands. */
export const completionCommand = (createTree: () => Promise<BaseCommand>, failure?: Error) =>
  new Command('completion', 'print a script that completes commands, options and values in a shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(completionScripts)))
    .notes(help)
    .action(async (shell: keyof typeof completionScripts) => {
      if (failure !== undefined) printMessage(`vitrine: warning: your own resources are left out: ${failure.message}`)
      print(completionScripts[shell](completionTable(await createTree(), await builtInMapNames())))
    })

export function completionTable(command: BaseCommand, maps: readonly string[]): Completion[] {
  const path = `vitrine ${commandPath(command)}`.trim()
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

/** The words that may follow a command, or an option with a value such as `vitrine member add --role`. */
interface Completion {
  after: string
  words: { word: string; about: string }[]
}

type Completions = readonly Completion[]

const created = (shell: string) => `# Completion of vitrine for ${shell}; created by 'vitrine completion ${shell}'.`

function functions(file: string, cases: readonly string[]): string {
  const text = readFileSync(new URL(`./${file}`, import.meta.url), 'utf8').trimEnd()
  return text.replace('{table}', () => cases.join('\n'))
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** zsh runs these bash functions too. They do not need the bash-completion package. */
const bashFunctions = (table: Completions) =>
  functions(
    'functions.bash',
    table.map(({ after, words }) => `    ${quoted(after)}) echo ${quoted(words.map(({ word }) => word).join(' '))} ;;`),
  )

const bash = (table: Completions) => `${created('bash')}\n\n${bashFunctions(table)}`

/** Works as a file in $fpath, and when sourced after compinit. */
const zsh = (table: Completions) => `#compdef vitrine
${created('zsh')}
autoload -U +X bashcompinit && bashcompinit

${bashFunctions(table)}
if [[ $funcstack[1] == _vitrine ]]; then _bash_complete -o default -F _vitrine; fi`

const fishQuoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const fishCase = ({ after, words }: Completion): string => {
  const lines = words.map(({ word, about }) => fishQuoted(about === '' ? word : `${word}\t${about}`))
  return `        case ${fishQuoted(after)}\n            string join \\n -- ${lines.join(' ')}; or true`
}

const fish = (table: Completions) => `${created('fish')}\n\n${functions('functions.fish', table.map(fishCase))}`

export const completionScripts = { bash, zsh, fish }
