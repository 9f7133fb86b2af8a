import { Command } from 'commander'
import { restoreDatabase } from '../database/open.ts'
import { type Context, givenDatabase } from './context.ts'
import { printJson, printMessage } from './output.ts'
import { showPhase, withProgress } from './progress.ts'
import { examples } from './usage.ts'

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
    .addHelpText('after', examples('restore /var/backups/vitrine-2026-11-15.db'))
    .action(async (file: string, { json }: { json?: true }) => {
      const database = givenDatabase()
      const restored = await withProgress('restoring', () => restoreDatabase(database, resources, file, showPhase))
      if (json) return printJson(restored)
      const { from, replaced, workspaces, keys } = restored
      const kept = replaced === null ? 'There was no database before.' : `The replaced database is kept as ${replaced}.`
      printMessage(`Restored ${restored.database} from ${from}: ${workspaces} workspaces, ${keys} keys. ${kept}`)
      printMessage("Keys that were revoked since the backup work again: check 'vitrine key list'.")
    })
