import { Command } from 'commander'
import { StorageError } from '../database/errors.ts'
import { describeObject, explainDifferences } from '../database/schema-difference.ts'
import type { Context } from './context.ts'
import { printJson, printMessage } from './output.ts'
import { withProgress } from './progress.ts'

export const command = ({ withStore }: Context) =>
  new Command('migrate')
    .description('migrate the database to this version, and restore what its schema lacks')
    .option('--json', 'print that it is up to date and what was restored, as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  vitrine migrate\n  DATABASE_URL=postgres://operator@db.example/vitrine vitrine migrate',
    )
    .action(async ({ json }: { json?: true }) => {
      const { restored, left } = await withProgress((progress) => {
        progress.phase('migrating the database')
        // Opening it for writing migrates it.
        return withStore(
          async (store) => {
            const restoration = await store.restoreSchema()
            await store.tidy()
            return restoration
          },
          { create: true },
        )
      })
      const names = restored.map(describeObject)
      for (const name of json ? [] : names) printMessage(`Restored ${name}.`)
      if (left.length > 0) throw new StorageError(explainDifferences(left))
      if (json) return printJson({ upToDate: true, restored: names })
      printMessage('The database is up to date.')
    })
