import { statSync } from 'node:fs'
import { Command } from 'commander'
import type { Context } from './context.ts'
import { printResult } from './output.ts'
import { withProgress } from './progress.ts'
import { examples } from './usage.ts'

export const command = ({ withReadingStore }: Context) =>
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
