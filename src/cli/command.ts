import { Command as BaseCommand } from 'commander'
import { useJson } from './terminal/output.ts'

export class Command extends BaseCommand {
  constructor(name: string, description = '') {
    super(name)
    this.description(description)
  }

  /** Like `action`, for a command whose result --json prints as JSON. The functions in output.ts know whether it is given. */
  withResult(run: Parameters<BaseCommand['action']>[0], description = 'print the result as JSON'): this {
    return this.option('--json', description).action((...words) => {
      const [{ json, envFile: _, ...options }, command] = words.slice(-2)
      useJson(json === true)
      return run.call(this, ...words.slice(0, -2), options, command)
    })
  }

  /** For a result that may be long. */
  withLines(run: Parameters<BaseCommand['action']>[0]): this {
    return this.withResult(run, 'print the result as JSON, one object per line')
  }

  subcommands(...commands: BaseCommand[]): this {
    for (const command of commands) this.addCommand(command)
    return this
  }

  /** Shown below the options. */
  notes(text: string | (() => string)): this {
    return this.addHelpText('after', text as string)
  }

  examples(...commands: string[]): this {
    return this.notes(`\nExamples:\n${commands.map((words) => `  vitrine ${words}`).join('\n')}`)
  }
}
