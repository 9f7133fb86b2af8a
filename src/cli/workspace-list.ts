import { Command } from 'commander'
import { listWorkspaces } from '../resources/workspace/records.ts'
import type { Context } from './context.ts'
import { printJson, printMessage } from './output.ts'
import { mayShrink, printTable } from './print-table.ts'

export const command = ({ withReadingStore }: Context) =>
  new Command('list')
    .description('list all workspaces')
    .option('--json', 'print them as a JSON array')
    .addHelpText('after', '\nExamples:\n  vitrine workspace list\n  vitrine workspace list --json')
    .action(async ({ json }: { json?: true }) => {
      const workspaces = await withReadingStore((store) => store.read((tx) => listWorkspaces(tx)))
      if (json) return printJson(workspaces)
      if (workspaces.length === 0)
        return printMessage("There are no workspaces yet; create one with 'vitrine workspace create'.")
      printTable(workspaces, {
        SLUG: (workspace) => workspace.slug,
        NAME: mayShrink((workspace) => workspace.name),
        TIMEZONE: (workspace) => workspace.timezone,
        CURRENCY: (workspace) => workspace.currencyCode,
        COUNTRY: (workspace) => workspace.countryCode,
        STATE: (workspace) => (workspace.archivedAt === null ? 'available' : 'archived'),
        ID: (workspace) => workspace.id,
      })
    })
