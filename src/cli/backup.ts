import { Command } from 'commander'
import { operateReading } from './operate.ts'
import { say } from './outcome.ts'

export const command = () =>
  new Command('backup')
    .description('copy the whole database into a file, while the server runs')
    .argument('<file>', 'a file that does not exist yet')
    .addHelpText('after', "\nTo put it in place again, stop the server and run 'vitrine restore FILE'.")
    .action(async (file: string) => {
      await operateReading((store) => store.backup(file))
      say(`Backed up to ${file}.`)
    })
