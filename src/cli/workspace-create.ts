import { Command } from 'commander'
import { checkedDetails, createWorkspace } from '../resources/workspace/workspaces.ts'
import { actor, type Context, isoNow } from './context.ts'
import { print, printJson, printMessage } from './output.ts'

interface Options {
  name: string
  slug: string
  timezone?: string
  currency?: string
  country?: string
  json?: true
}

export const command = ({ withStore }: Context) =>
  new Command('create')
    .description('create a workspace and print its id')
    .requiredOption('--name <name>', 'display name')
    .requiredOption('--slug <slug>', 'short name for commands: lower-case letters, digits and dashes')
    .option('--timezone <zone>', 'IANA timezone for business dates, such as Europe/London')
    .option('--currency <code>', 'ISO 4217 reporting currency, such as GBP')
    .option('--country <code>', 'ISO 3166-1 alpha-2 country, such as GB')
    .option('--json', 'print the workspace as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  vitrine workspace create --name "Northwind Buying" --slug northwind --timezone Europe/London --currency GBP',
    )
    .action(async ({ json, ...details }: Options) => {
      // Checked first: a usage error must not leave a new database behind.
      checkedDetails(details)
      const workspace = await withStore((store) => createWorkspace(store, details, actor(), isoNow()), {
        create: true,
      })
      if (json) return printJson(workspace)
      print(workspace.id)
      printMessage(
        `Created the workspace ${workspace.slug}. Next: vitrine key create --workspace ${workspace.slug} --label <label>`,
      )
    })
