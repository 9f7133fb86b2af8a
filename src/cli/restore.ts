import { Command } from 'commander'
import { restoreDatabase } from '../database/open.ts'
import { type Context, givenDatabase } from './context.ts'
import { printJson, printMessage } from './output.ts'

export const command = ({ resources }: Context) =>
  new Command('restore')
    .description('replace the database with a backup; the server must be stopped')
    .argument('<file>', "a file that 'vitrine backup' wrote")
    .option('--json', 'print what was done as JSON')
    .addHelpText(
      'after',
      '\nThe backup is checked first, and the replaced database is kept beside the new one. Keys that were revoked since the' +
        '\nbackup work again, and people have to sign in again.',
    )
    .action(async (file: string, { json }: { json?: true }) => {
      const restored = await restoreDatabase(givenDatabase(), resources, file)
      if (json) return printJson(restored)
      const { database, from, replaced, workspaces, keys } = restored
      const kept = replaced === null ? 'There was no database before.' : `The replaced database is kept as ${replaced}.`
      printMessage(`Restored ${database} from ${from}: ${workspaces} workspaces, ${keys} keys. ${kept}`)
      printMessage("Keys that were revoked since the backup work again: check 'vitrine key list'.")
    })
