import { Command } from 'commander'
import { operate } from './operate.ts'
import { say } from './outcome.ts'

export const command = () =>
  new Command('migrate')
    .description('bring the database up to date with this program; the server does so too when it starts')
    .action(async () => {
      // To open it as an operator is to migrate it.
      await operate(async () => {}, { create: true })
      say('The database is up to date.')
    })
