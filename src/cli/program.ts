import { Command, CommanderError } from 'commander'
import type { Table } from '../database/table.ts'
import type { Resource } from '../resources/define.ts'
import { type Context, createContext } from './context.ts'
import { ExitCode, exitCodeOf, messageOf } from './errors.ts'
import { areErrorsJson, handleOutputErrors, print, printError, printErrorsAsJson } from './output.ts'
import { configure, ENV_FILE_OPTION, inOneLine } from './usage.ts'
import { versionLine } from './version.ts'

/** Given the words after the command's own: a group loads only the command that they name. */
type Load = (words: readonly string[]) => Promise<{ command: (context: Context) => Command }>

/** Every command, in the order of the help. Loaded when named: 'serve' does not read the code of the others. */
function commandsOver(resources: readonly Resource[]): Record<string, Load> {
  const imports = resources.flatMap(recordCommand)
  for (const [name] of imports)
    if (name === 'help' || Object.hasOwn(beforeImports, name) || Object.hasOwn(afterImports, name))
      throw new Error(`a table cannot have the singular '${name}': it is a command already`)
  return { ...beforeImports, ...Object.fromEntries(imports), ...afterImports }
}

const beforeImports: Record<string, Load> = {
  serve: () => import('./serve.ts'),
  demo: () => import('./demo.ts'),
  workspace: group('workspace', 'create, list, update, archive, restore and delete workspaces', {
    create: () => import('./workspace-create.ts'),
    list: () => import('./workspace-list.ts'),
    update: () => import('./workspace-update.ts'),
    archive: () => import('./workspace-archive.ts'),
    restore: () => import('./workspace-restore.ts'),
    delete: () => import('./workspace-delete.ts'),
  }),
  key: group('key', 'create, list, show, change, pause, rotate and revoke API keys', {
    create: () => import('./key-create.ts'),
    list: () => import('./key-list.ts'),
    show: () => import('./key-show.ts'),
    update: () => import('./key-update.ts'),
    pause: async () => ({ command: (await import('./key-change.ts')).pause }),
    resume: async () => ({ command: (await import('./key-change.ts')).resume }),
    rotate: () => import('./key-rotate.ts'),
    'cancel-rotation': () => import('./key-cancel-rotation.ts'),
    revoke: async () => ({ command: (await import('./key-change.ts')).revoke }),
    purge: () => import('./key-purge.ts'),
  }),
}

const afterImports: Record<string, Load> = {
  member: group('member', 'manage the members of a workspace and their roles', {
    add: () => import('./member-add.ts'),
    link: () => import('./member-link.ts'),
    list: () => import('./member-list.ts'),
    role: () => import('./member-role.ts'),
    remove: () => import('./member-remove.ts'),
  }),
  audit: () => import('./audit.ts'),
  scan: () => import('./scan.ts'),
  stdio: () => import('./stdio.ts'),
  migrate: () => import('./migrate.ts'),
  copy: () => import('./copy.ts'),
  backup: () => import('./backup.ts'),
  restore: () => import('./restore.ts'),
  doctor: () => import('./doctor.ts'),
  check: () => import('./check.ts'),
  completion: async () => {
    const { completionCommand } = await import('./completion.ts')
    return { command: (context) => completionCommand(() => createProgram(context)) }
  },
}

/** `vitrine task import`, `vitrine task list` and their like, for every resource that has a table. */
function recordCommand({ table, path }: Resource): [name: string, load: Load][] {
  if (table === undefined) return []
  const { name, singular } = table
  const over =
    (load: () => Promise<(context: Context, table: Table, path: string) => Command>): Load =>
    async () => {
      const create = await load()
      return { command: (context) => create(context, table, path) }
    }
  const words = `bring ${name} into a workspace, list, show and delete them`
  return [
    [
      singular,
      group(singular, words, {
        import: over(async () => (await import('./import.ts')).importCommand),
        sync: over(async () => (await import('./sync.ts')).syncCommand),
        list: over(async () => (await import('./row-list.ts')).listCommand),
        show: over(async () => (await import('./row-show.ts')).showCommand),
        delete: over(async () => (await import('./row-delete.ts')).deleteCommand),
      }),
    ],
  ]
}

function group(name: string, description: string, subcommands: Record<string, Load>): Load {
  return async (words) => {
    const modules = await load(subcommands, words)
    return {
      command(context) {
        const command = new Command(name).description(description)
        for (const module of modules) command.addCommand(module.command(context))
        return command
      },
    }
  }
}

/** Runs the command line over the resources that a module exports, and sets the exit code. */
export async function run(resourcesUrl: string, argv: readonly string[] = process.argv): Promise<void> {
  handleOutputErrors()
  // By default it would end the program.
  process.on('SIGUSR1', () => {})
  const given = argv.slice(2)
  printErrorsAsJson((given.includes('--') ? given.slice(0, given.indexOf('--')) : given).includes('--json'))
  process.on('uncaughtException', (error) => process.exit(reportError(error)))
  try {
    const words = given.some((word) => word.startsWith(ENV_FILE_OPTION))
      ? (await import('./env-file.ts')).takeEnvFile(given)
      : given
    const program = await createProgram(await createContext(resourcesUrl), words)
    await program.parseAsync(words, { from: 'user' })
  } catch (error) {
    process.exitCode = error instanceof CommanderError ? reportCommanderError(error) : reportError(error)
  }
}

/** Prints one line, since a stack trace would not help the operator, and returns the exit code. */
function reportError(error: unknown): number {
  printError(messageOf(error), exitCodeOf(error))
  return exitCodeOf(error)
}

/** Which commander has told already, unless errors are JSON. */
function reportCommanderError({ exitCode, code, message }: CommanderError): number {
  if (exitCode === 0) return ExitCode.success
  const words = code === 'commander.help' ? 'a command is missing; --help lists them' : inOneLine(message)
  if (areErrorsJson()) printError(words.replace(/^error: /, ''), ExitCode.usage)
  return ExitCode.usage
}

/** The tree of commands, as far as these words need it: of none, all. */
export async function createProgram(context: Context, words: readonly string[] = []): Promise<Command> {
  const program = emptyProgram()
  for (const { command } of await load(commandsOver(context.resources), words)) program.addCommand(command(context))
  everyCommand(program).forEach(configure)
  return program
}

const emptyProgram = () =>
  new Command('vitrine')
    .description('A glass case for a workspace: scripts and AI agents may look, nothing can be touched.')
    .option('-V, --version', 'print the version, and the commit where it is known')
    .on('option:version', () => {
      print(versionLine())
      throw new CommanderError(ExitCode.success, 'vitrine.version', '')
    })
    // An option belongs to the command before it: 'audit' and 'audit verify' share option names.
    .enablePositionalOptions()
    .addHelpText(
      'after',
      `
A first workspace, with its tasks and a key:
  vitrine workspace create --name "Northwind Buying" --slug northwind --timezone Europe/London
  vitrine task import --workspace northwind tasks.ndjson
  vitrine key create --workspace northwind --label "nightly report"
  vitrine serve

Settings come from the environment, or from a file given by --env-file; 'vitrine serve --help' lists them.`,
    )

/** The named command, or all of them where none is named: the help lists them. */
function load(commands: Record<string, Load>, [name = '', ...words]: readonly string[]) {
  const named = Object.hasOwn(commands, name) ? commands[name] : undefined
  return Promise.all(named === undefined ? Object.values(commands).map((each) => each([])) : [named(words)])
}

export const everyCommand = (command: Command): Command[] => [command, ...command.commands.flatMap(everyCommand)]
