import { statSync } from 'node:fs'
import { Command } from 'commander'
import { restoreDatabase } from '../database/open.ts'
import { type Context, givenDatabase } from './context.ts'
import { printJson, printMessage, printResult } from './output.ts'
import { showPhase, withProgress } from './progress.ts'
import { examples } from './usage.ts'

export const backup = ({ withReadingStore }: Context) =>
  new Command('backup')
    .description('copy the whole database into a file; the server can keep running')
    .argument('<file>', 'a file that does not exist yet')
    .option('--json', 'print the file and its size as JSON')
    .addHelpText('after', "\nTo restore it, stop the server and run 'vitrine restore FILE'.")
    .addHelpText('after', examples('backup /var/backups/vitrine-$(date +%F).db'))
    .action(async (file: string, { json }: { json?: true }) => {
      await withProgress('copying the database', () => withReadingStore((store) => store.backup(file)))
      printResult(json, { file, sizeBytes: statSync(file).size }, `Backed up to ${file}.`)
    })

export const restore = ({ resources }: Context) =>
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
