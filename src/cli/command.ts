import { Command as BaseCommand } from 'commander'

export class Command extends BaseCommand {
  constructor(name: string, description = '') {
    super(name)
    this.description(description)
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
