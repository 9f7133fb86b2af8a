import { Command } from 'commander'
import type { Context } from './context.ts'
import { printMessage } from './output.ts'

export const command = ({ withStore }: Context) =>
  new Command('migrate')
    .description('bring the database up to date with this program; the server does so too when it starts')
    .action(async () => {
      // To open it as an operator is to migrate it.
      await withStore(async () => {}, { create: true })
      printMessage('The database is up to date.')
    })
