import { Command } from 'commander'
import { listWorkspaces } from '../resources/workspace/records.ts'
import { operateReading } from './operate.ts'
import { say } from './outcome.ts'
import { printJson, printTable } from './output.ts'

export const listCommand = () =>
  new Command('list')
    .description('list all workspaces')
    .option('--json', 'print them as a JSON array')
    .action(async ({ json }: { json?: true }) => {
      const workspaces = await operateReading((store) => store.read((tx) => listWorkspaces(tx)))
      if (json) return printJson(workspaces)
      if (workspaces.length === 0) return say("There is no workspace yet; make one with 'vitrine workspace create'.")
      printTable(workspaces, {
        SLUG: (workspace) => workspace.slug,
        NAME: (workspace) => workspace.name,
        TIMEZONE: (workspace) => workspace.timezone,
        CURRENCY: (workspace) => workspace.currencyCode,
        COUNTRY: (workspace) => workspace.countryCode,
        STATE: (workspace) => (workspace.archivedAt === null ? 'available' : 'archived'),
        ID: (workspace) => workspace.id,
      })
    })
