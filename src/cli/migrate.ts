import { Command } from 'commander'
import type { Context } from './context.ts'
import { printJson, printMessage } from './output.ts'
import { withProgress } from './progress.ts'

export const command = ({ withStore }: Context) =>
  new Command('migrate')
    .description('migrate the database to this version; the server also does so when it starts')
    .option('--json', 'print that it is up to date, as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  vitrine migrate\n  DATABASE_URL=postgres://operator@db.example/vitrine vitrine migrate',
    )
    .action(async ({ json }: { json?: true }) => {
      await withProgress(async (progress) => {
        progress.phase('migrating the database')
        // Opening it for writing migrates it.
        await withStore((store) => store.tidy(), { create: true })
      })
      if (json) return printJson({ upToDate: true })
      printMessage('The database is up to date.')
    })
