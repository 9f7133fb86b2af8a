import { Command } from 'commander'
import type { Context } from './context.ts'
import { printMessage } from './output.ts'

export const command = ({ withStore }: Context) =>
  new Command('migrate')
    .description('migrate the database to this version; the server also does so when it starts')
    .action(async () => {
      // Opening it for writing migrates it.
      await withStore(async () => {}, { create: true })
      printMessage('The database is up to date.')
    })
