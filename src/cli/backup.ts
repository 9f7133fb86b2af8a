import { statSync } from 'node:fs'
import { Command } from 'commander'
import type { Context } from './context.ts'
import { printJson, printMessage } from './output.ts'
import { withProgress } from './progress.ts'

export const command = ({ withReadingStore }: Context) =>
  new Command('backup')
    .description('copy the whole database into a file; the server can keep running')
    .argument('<file>', 'a file that does not exist yet')
    .option('--json', 'print the file and its size as JSON')
    .addHelpText(
      'after',
      `
To restore it, stop the server and run 'vitrine restore FILE'.

Examples:
  vitrine backup /var/backups/vitrine-$(date +%F).db`,
    )
    .action(async (file: string, { json }: { json?: true }) => {
      await withProgress((progress) => {
        progress.phase('copying the database')
        return withReadingStore((store) => store.backup(file))
      })
      if (json) return printJson({ file, sizeBytes: statSync(file).size })
      printMessage(`Backed up to ${file}.`)
    })
