import { Command } from 'commander'
import { checkedUpdate, updateWorkspace } from '../resources/workspace/workspaces.ts'
import { actor, type Context, isoNow } from './context.ts'
import { UsageError } from './errors.ts'
import { printJson, printMessage } from './output.ts'

interface Options {
  name?: string
  timezone?: string
  currency?: string
  country?: string
  json?: true
}

/** Empties a default: an empty value may be a shell variable that is not set, and is refused everywhere. */
const NONE = 'none'

export const command = ({ withStore }: Context) =>
  new Command('update')
    .description('change the name or the defaults of a workspace; what is not given stays as it is')
    .argument('<slug>')
    .option('--name <name>', 'display name')
    .option('--timezone <zone>', `IANA timezone for business dates, such as Europe/London; ${NONE} for no default`)
    .option('--currency <code>', `ISO 4217 reporting currency, such as GBP; ${NONE} for no default`)
    .option('--country <code>', `ISO 3166-1 alpha-2 country, such as GB; ${NONE} for no default`)
    .option('--json', 'print the workspace as JSON')
    .addHelpText('after', '\nExamples:\n  vitrine workspace update northwind --timezone Europe/Lisbon --currency EUR')
    .action(async (slug: string, { json, name, timezone, currency, country }: Options) => {
      const update = {
        ...(name !== undefined && { name }),
        ...(timezone !== undefined && { timezone: orNull(timezone) }),
        ...(currency !== undefined && { currency: orNull(currency) }),
        ...(country !== undefined && { country: orNull(country) }),
      }
      if (Object.keys(update).length === 0)
        throw new UsageError('give what to change: --name, --timezone, --currency or --country')
      // Checked first: a usage error is told without a database.
      checkedUpdate(update)
      const { workspace, changed } = await withStore((store) => updateWorkspace(store, slug, update, actor(), isoNow()))
      if (json) return printJson(workspace)
      printMessage(
        changed.length === 0
          ? `${slug} has these values already; nothing was changed.`
          : `Changed ${changed.join(', ')} of ${slug}.`,
      )
    })

const orNull = (value: string) => (value === NONE ? null : value)
