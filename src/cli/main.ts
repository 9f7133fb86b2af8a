import './streams.ts'
import { Command, CommanderError } from 'commander'
import { redactTokens } from '../lib/redact.ts'
import { version } from '../version.ts'
import { refuseEmptyAndRepeated } from './options.ts'
import { complain, ExitCode } from './outcome.ts'

/** Loaded when named: starting the server does not read the code of the other commands. */
const commands: Record<string, () => Promise<{ command: () => Command }>> = {
  serve: () => import('./serve.ts'),
  demo: () => import('./demo.ts'),
  workspace: () => import('./workspace.ts'),
  key: () => import('./key.ts'),
  task: () => import('./task.ts'),
  member: () => import('./member.ts'),
  audit: () => import('./audit.ts'),
  migrate: () => import('./migrate.ts'),
  copy: () => import('./copy.ts'),
  backup: () => import('./backup.ts'),
  restore: () => import('./restore.ts'),
  doctor: () => import('./doctor.ts'),
}

const program = new Command('vitrine')
  .description('A glass case for a workspace: scripts and AI agents may look, nothing can be touched.')
  .version(version)
  // An option belongs to the command before it: 'audit' and 'audit verify' have some of one name.
  .enablePositionalOptions()
  .addHelpText(
    'after',
    `
A first workspace, with its tasks and a key:
  vitrine workspace create --name "Northwind Buying" --slug northwind --timezone Europe/London
  vitrine task import --workspace northwind tasks.ndjson
  vitrine key create --workspace northwind --label "nightly report"
  vitrine serve

Settings come from the environment; 'vitrine serve --help' lists them.`,
  )

const name = process.argv[2] ?? ''
const named = Object.hasOwn(commands, name) ? commands[name] : undefined
const loaded = await Promise.all((named === undefined ? Object.values(commands) : [named]).map((load) => load()))
for (const { command } of loaded) program.addCommand(command())

const everyCommand = (command: Command): Command[] => [command, ...command.commands.flatMap(everyCommand)]
for (const command of everyCommand(program)) {
  refuseEmptyAndRepeated(command)
  command
    .exitOverride()
    .showHelpAfterError("(add --help to see how it's used)")
    .configureOutput({ writeErr: (text) => process.stderr.write(redactTokens(text)) })
}

// The first line says what happened; a stack trace would say no more to whoever runs the program.
process.on('uncaughtException', (error) => process.exit(complain(error)))

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? ExitCode.done : ExitCode.misused
  else process.exitCode = complain(error)
}
