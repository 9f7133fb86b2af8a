import { Command } from 'commander'
import { operate } from './operate.ts'
import { say } from './outcome.ts'

export const command = () =>
  new Command('backup')
    .description('copy the whole database into a file, while the server runs')
    .argument('<file>', 'a file that does not exist yet')
    .addHelpText('after', '\nTo restore, stop the server and point DATABASE_URL at a copy of the file.')
    .action(async (file: string) => {
      await operate((store) => store.backup(file))
      say(`Backed up to ${file}.`)
    })
