import type { Command } from 'commander'
import { createContext } from '../../src/cli/context.ts'
import { createProgram, everyCommand } from '../../src/cli/program.ts'

/** Every command, as the program has it. Nothing is written, and none of them does anything: their words are only parsed. */
export async function commandTree(): Promise<Command> {
  const program = await createProgram(await createContext(import.meta.resolve('../../src/resources/index.ts')))
  for (const command of everyCommand(program)) command.configureOutput({ writeOut() {}, writeErr() {} })
  for (const command of leavesOf(program)) command.action(() => {})
  return program
}

/** The commands that do something, with their words, such as "key create". */
export const leavesOf = (program: Command): Command[] =>
  everyCommand(program).filter(
    (command) => command.commands.length === 0 || command.registeredArguments.length > 0 || command.name() === 'audit',
  )

export const commandPath = (command: Command): string =>
  command.parent === null ? '' : `${commandPath(command.parent)} ${command.name()}`.trim()
