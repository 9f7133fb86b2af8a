import { Command as BaseCommand } from 'commander'

export class Command extends BaseCommand {
  /** Shown below the options. */
  notes(text: string | (() => string)): this {
    return this.addHelpText('after', text as string)
  }

  examples(...commands: string[]): this {
    return this.notes(`\nExamples:\n${commands.map((words) => `  vitrine ${words}`).join('\n')}`)
  }
}
