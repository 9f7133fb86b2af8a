import { Command } from 'commander'
import { restoreDatabase } from '../database/open.ts'
import { type Context, givenDatabase } from './context.ts'
import { printJson, printMessage } from './output.ts'
import { withProgress } from './progress.ts'

export const command = ({ resources }: Context) =>
  new Command('restore')
    .description('replace the database with a backup; the server must be stopped')
    .argument('<file>', "a file that 'vitrine backup' wrote")
    .option('--json', 'print what was done as JSON')
    .addHelpText(
      'after',
      '\nThe backup is checked first, and the replaced database is kept beside the new one. Keys that were revoked since the' +
        '\nbackup work again, and people have to sign in again.' +
        '\n\nExamples:\n  vitrine restore /var/backups/vitrine-2026-11-15.db',
    )
    .action(async (file: string, { json }: { json?: true }) => {
      const database = givenDatabase()
      const restored = await withProgress((progress) =>
        restoreDatabase(database, resources, file, (phase) => progress.phase(phase)),
      )
      if (json) return printJson(restored)
      const { from, replaced, workspaces, keys } = restored
      const kept = replaced === null ? 'There was no database before.' : `The replaced database is kept as ${replaced}.`
      printMessage(`Restored ${restored.database} from ${from}: ${workspaces} workspaces, ${keys} keys. ${kept}`)
      printMessage("Keys that were revoked since the backup work again: check 'vitrine key list'.")
    })
