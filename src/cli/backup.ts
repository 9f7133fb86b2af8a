import { Command } from 'commander'
import type { Context } from './context.ts'
import { printMessage } from './output.ts'

export const command = ({ withReadingStore }: Context) =>
  new Command('backup')
    .description('copy the whole database into a file, while the server runs')
    .argument('<file>', 'a file that does not exist yet')
    .addHelpText('after', "\nTo put it in place again, stop the server and run 'vitrine restore FILE'.")
    .action(async (file: string) => {
      await withReadingStore((store) => store.backup(file))
      printMessage(`Backed up to ${file}.`)
    })
