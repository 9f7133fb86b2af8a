/**
 * src/cli is the command line, which also starts the server. bin/vitrine chooses the runtime and runs main.ts, which calls `run`.
 *
 * `run` reads --json and --env-file, loads the resources (context.ts), imports the named command, and reports errors. A command is
 * a file that exports `command(context)`. It parses options, calls a domain module and prints.
 *   commands/              a file per command or group, or a folder if it needs several: row/ has those of any resource with a
 *                          table, such as `vitrine task`
 *   serve/                 serve.ts reads the settings; run-server.ts serves until a signal stops it: with-server.ts assembles the
 *                          server and its background work, listen.ts opens its port, and stop.ts ends it
 *   terminal/              output.ts prints results to stdout, messages to stderr; table.ts and progress.ts
 *   command.ts             Commander with our conventions (terminal/usage.ts): --json, examples
 *   context.ts             opens the database; errors.ts maps errors to exit codes
 *
 * Invariants:
 * - Exit codes: 0 for success, 1 for a failure, 2 for a usage error, which is reported before a database is opened or created.
 * - An error is one line that explains the fix, without a stack trace. Text from files and servers cannot control the terminal.
 * - A key is printed once, and never repeated in an error, wherever it was typed.
 * - Commands that only read neither wait for writers nor migrate.
 *
 * Risks: every module that a command imports slows its start, so most are imported on demand. A command
 * whose output is no longer read ends; a server must continue.
 */
import { parseArgs } from 'node:util'
import { type Command as BaseCommand, CommanderError } from 'commander'
import type { ReservedCommand } from '../api/reserved-commands.ts'
import { goneFrom, goneLine } from '../gone.ts'
import { listsOf } from '../lists/definition.ts'
import type { Resource } from '../resources/define.ts'
import { commit, version } from '../version.ts'
import { Command } from './command.ts'
import { type Context, createContext } from './context.ts'
import { applyEnvFile } from './env-file.ts'
import { ExitCode, exitCodeOf, messageOf, UsageError } from './errors.ts'
import { handleOutputErrors, isJson, print, printError, useJson } from './terminal/output.ts'
import { configure, onOneLine } from './terminal/usage.ts'
import { warnOfUnknown } from './unknown-settings.ts'

type LoadCommand = () => Promise<{ command: (context: Context) => Command }>

/** The help lists commands in this order. Only the named one is loaded. */
const commandsOver = (resources: readonly Resource[]): Record<ReservedCommand, LoadCommand> => ({
  try: () => import('./commands/try/try.ts'),
  serve: () => import('./serve/serve.ts'),
  demo: () => import('./commands/demo/demo.ts'),
  workspace: () => import('./commands/workspace.ts'),
  key: () => import('./commands/key/key.ts'),
  ...Object.fromEntries(resources.flatMap(rowCommand)),
  member: () => import('./commands/member.ts'),
  apply: () => import('./commands/apply.ts'),
  source: () => import('./commands/source.ts'),
  audit: () => import('./commands/audit.ts'),
  stdio: () => import('./commands/stdio.ts'),
  migrate: () => import('./commands/migrate.ts'),
  copy: async () => ({ command: (await import('./commands/database.ts')).copyCommand }),
  backup: async () => ({ command: (await import('./commands/database.ts')).backupCommand }),
  restore: async () => ({ command: (await import('./commands/database.ts')).restoreCommand }),
  doctor: () => import('./commands/doctor/doctor.ts'),
  check: () => import('./commands/check.ts'),
  resource: () => import('./commands/resource/resource.ts'),
  openapi: () => import('./commands/openapi.ts'),
})

/** Adds commands such as `vitrine task` for lists. */
function rowCommand({ list, path }: Resource): [name: string, load: LoadCommand][] {
  if (list === undefined) return []
  const load: LoadCommand = async () => {
    const { command } = await import('./commands/row/row.ts')
    return { command: (context) => command(context, list, path) }
  }
  return [[list.singular, load]]
}

/** Read before the command, which may follow them: errors may be JSON, and RESOURCES adds commands. */
const EARLY_OPTIONS = { json: { type: 'boolean' }, 'env-file': { type: 'string', multiple: true } } as const

export async function run(resourcesUrl: string, argv: readonly string[] = process.argv): Promise<void> {
  handleOutputErrors()
  // bin/vitrine disables the debugger's SIGUSR1 handler; without a handler, the signal would end the program.
  process.on('SIGUSR1', () => {})
  const args = argv.slice(2)
  const { values, positionals } = parseArgs({ args, options: EARLY_OPTIONS, strict: false })
  useJson(values.json === true)
  process.on('uncaughtException', (error) => process.exit(reportError(error)))
  try {
    // Commander rejects a second one only if it belongs to the same command.
    const [file, another] = values['env-file'] ?? []
    if (another !== undefined) throw new UsageError('--env-file: can be given only once')
    const names = typeof file === 'string' && file !== '' ? applyEnvFile(file) : []
    const context = await createContext(resourcesUrl)
    if (names.length > 0) warnOfUnknown(names, String(file), databaseSettings(context.resources))
    const words = positionals.filter((word) => word !== 'help')
    rejectGone(args, words, context)
    const program = await createProgram(context, words[0])
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    process.exitCode = error instanceof CommanderError ? reportCommanderError(error) : reportError(error)
  }
}

/** The settings that definitions name, for lists that are read in place. */
const databaseSettings = (resources: readonly Resource[]): string[] =>
  listsOf(resources).flatMap(({ rows }) => (rows === undefined ? [] : [rows.database, `${rows.database}_FILE`]))

/** Not if a declared resource has taken the name of a command that is gone. */
function rejectGone(args: readonly string[], words: readonly string[], { resources }: Context): void {
  const line = goneFrom(args, words)
  const [command = ''] = words
  if (line === undefined || (goneLine(command) && resources.some(({ list }) => list?.singular === command))) return
  throw new UsageError(line)
}

/** Prints one line, since a stack trace would not help the operator. */
function reportError(error: unknown): number {
  printError(messageOf(error), exitCodeOf(error))
  return exitCodeOf(error)
}

/** Commander has already printed the error, unless errors are JSON. */
function reportCommanderError({ exitCode, code, message }: CommanderError): number {
  if (exitCode === 0) return ExitCode.success
  const text = code === 'commander.help' ? 'a command is missing; --help lists them' : onOneLine(message)
  if (isJson()) printError(text.replace(/^error: /, ''), ExitCode.usage)
  return ExitCode.usage
}

/** Without a command name, all commands are loaded, since the help lists them. */
export async function createProgram(context: Context, name = ''): Promise<BaseCommand> {
  const commands = new Map(Object.entries(commandsOver(context.resources)))
  const named = commands.get(name)
  // The command may belong to a resource that could not be loaded.
  if (named === undefined && /^[a-z]/.test(name)) context.requireResources()
  const loads = named === undefined ? [...commands.values()] : [named]
  const program = emptyProgram(context)
  for (const { command } of await Promise.all(loads.map((load) => load()))) program.addCommand(command(context))
  everyCommand(program).forEach(configure)
  return program
}

const emptyProgram = ({ failure }: Context) =>
  new Command('vitrine', 'A glass case for a workspace: scripts and AI agents can look, but nothing can be touched.')
    .option('-V, --version', 'print the version, and the commit if known')
    .on('option:version', () => {
      print(commit === undefined ? `vitrine ${version}` : `vitrine ${version} (${commit})`)
      throw new CommanderError(ExitCode.success, 'vitrine.version', '')
    })
    // 'audit' and 'audit verify' share option names, so an option belongs to the command that precedes it.
    .enablePositionalOptions()
    .notes(`${failure === undefined ? '' : `\nCommands of your own resources are missing: ${failure.message}\n`}
Create a workspace with tasks and a key, and serve it:
  vitrine workspace create --name "Northwind Buying" --slug northwind --timezone Europe/London
  vitrine task import --workspace northwind tasks.ndjson
  vitrine key create --workspace northwind --label "nightly report"
  vitrine serve

Settings come from the environment, or from an --env-file; 'vitrine serve --help' lists them.`)

export const everyCommand = (command: BaseCommand): BaseCommand[] => [
  command,
  ...command.commands.flatMap(everyCommand),
]
