import { Command } from 'commander'
import { StorageError } from '../database/errors.ts'
import { describeObject, explainDifferences } from '../database/schema-difference.ts'
import type { OperatorStore } from '../database/store.ts'
import type { Context } from './context.ts'
import { printMessage, printResult } from './output.ts'
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
      const tidied = async (store: OperatorStore) => {
        const restoration = await store.restoreSchema()
        await store.tidy()
        return restoration
      }
      // Opening it for writing migrates it.
      const { restored, left } = await withProgress('migrating the database', () => withStore(tidied, { create: true }))
      const names = restored.map(describeObject)
      for (const name of json ? [] : names) printMessage(`Restored ${name}.`)
      if (left.length > 0) throw new StorageError(explainDifferences(left))
      printResult(json, { upToDate: true, restored: names }, 'The database is up to date.')
    })
