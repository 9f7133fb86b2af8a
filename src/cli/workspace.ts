import { tablesOf } from '../database/table.ts'
import { formatCount } from '../lib/format-count.ts'
import { deleteWorkspace, type WorkspaceContents, workspaceContents } from '../resources/workspace/delete.ts'
import { listWorkspaces } from '../resources/workspace/records.ts'
import {
  archiveWorkspace,
  checkedDetails,
  checkedUpdate,
  createWorkspace,
  restoreWorkspace,
  updateWorkspace,
} from '../resources/workspace/workspaces.ts'
import { Command } from './command.ts'
import { actor, type Context, isoNow } from './context.ts'
import { UsageError } from './errors.ts'
import { print, printJson, printMessage, printResult, sanitize } from './output.ts'
import { withProgress } from './progress.ts'
import { mayShrink, printTable } from './table.ts'

export const command = (context: Context) =>
  new Command('workspace')
    .description('create, list, update, archive, restore and delete workspaces')
    .addCommand(create(context))
    .addCommand(list(context))
    .addCommand(update(context))
    .addCommand(
      availability(context, 'archive', {
        description: 'make a workspace unavailable; its keys and data are kept until it is restored',
        change: archiveWorkspace,
        done: (slug) => `Archived ${slug}. 'vitrine workspace restore ${slug}' brings it back.`,
      }),
    )
    .addCommand(
      availability(context, 'restore', {
        description: 'make an archived workspace available again',
        change: restoreWorkspace,
        done: (slug) => `Restored ${slug}.`,
      }),
    )
    .addCommand(remove(context))

interface CreateOptions {
  name: string
  slug: string
  timezone?: string
  currency?: string
  country?: string
  json?: true
}

const create = ({ withStore }: Context) =>
  new Command('create')
    .description('create a workspace and print its id')
    .requiredOption('--name <name>', 'display name')
    .requiredOption('--slug <slug>', 'short name for commands: lower-case letters, digits and dashes')
    .option('--timezone <zone>', 'IANA timezone for business dates, such as Europe/London')
    .option('--currency <code>', 'ISO 4217 reporting currency, such as GBP')
    .option('--country <code>', 'ISO 3166-1 alpha-2 country, such as GB')
    .option('--json', 'print the workspace as JSON')
    .examples('workspace create --name "Northwind Buying" --slug northwind --timezone Europe/London --currency GBP')
    .action(async ({ json, ...details }: CreateOptions) => {
      // A usage error must not leave a new database behind.
      checkedDetails(details)
      const created = await withStore((store) => createWorkspace(store, details, actor(), isoNow()), { create: true })
      if (json) return printJson(created)
      const { id, slug } = created
      print(id)
      printMessage(`Created the workspace ${slug}. Next: vitrine key create --workspace ${slug} --label <label>`)
    })

const list = ({ read }: Context) =>
  new Command('list')
    .description('list all workspaces')
    .option('--json', 'print them as a JSON array')
    .examples('workspace list', 'workspace list --json')
    .action(async ({ json }: { json?: true }) => {
      const workspaces = await read(listWorkspaces)
      if (json) return printJson(workspaces)
      if (workspaces.length === 0)
        return printMessage("There are no workspaces yet; create one with 'vitrine workspace create'.")
      printTable(workspaces, {
        SLUG: ({ slug }) => slug,
        NAME: mayShrink(({ name }) => name),
        TIMEZONE: ({ timezone }) => timezone,
        CURRENCY: ({ currencyCode }) => currencyCode,
        COUNTRY: ({ countryCode }) => countryCode,
        STATE: ({ archivedAt }) => (archivedAt === null ? 'available' : 'archived'),
        ID: ({ id }) => id,
      })
    })

/** Clears a default. An empty value is rejected, since it may come from an unset shell variable. */
const NONE = 'none'

const update = ({ withStore }: Context) =>
  new Command('update')
    .description('change the name or the defaults of a workspace; options that are left out stay unchanged')
    .argument('<slug>')
    .option('--name <name>', 'display name')
    .option('--timezone <zone>', `IANA timezone for business dates, such as Europe/London; ${NONE} for no default`)
    .option('--currency <code>', `ISO 4217 reporting currency, such as GBP; ${NONE} for no default`)
    .option('--country <code>', `ISO 3166-1 alpha-2 country, such as GB; ${NONE} for no default`)
    .option('--json', 'print the workspace as JSON')
    .examples('workspace update northwind --timezone Europe/Lisbon --currency EUR')
    .action(async (slug: string, { json, name, ...defaults }: Partial<CreateOptions>) => {
      const emptied = Object.entries(defaults).map(([key, value]) => [key, value === NONE ? null : value])
      const wanted = { ...(name !== undefined && { name }), ...Object.fromEntries(emptied) }
      if (Object.keys(wanted).length === 0)
        throw new UsageError('nothing to change: add --name, --timezone, --currency or --country')
      // Usage errors are reported before the database is opened.
      checkedUpdate(wanted)
      const { workspace, changed } = await withStore((store) => updateWorkspace(store, slug, wanted, actor(), isoNow()))
      const unchanged = `${slug} already has these values; nothing was changed.`
      printResult(json, workspace, changed.length === 0 ? unchanged : `Changed ${changed.join(', ')} of ${slug}.`)
    })

const availability = (
  { withStore }: Context,
  name: 'archive' | 'restore',
  {
    description,
    change,
    done,
  }: { description: string; change: typeof archiveWorkspace; done: (slug: string) => string },
) =>
  new Command(name)
    .description(description)
    .argument('<slug>')
    .option('--json', 'print the workspace as JSON')
    .examples(`workspace ${name} northwind`)
    .action(async (slug: string, { json }: { json?: true }) => {
      const workspace = await withStore((store) => change(store, slug, actor(), isoNow()))
      printResult(json, workspace, done(slug))
    })

const remove = ({ withStore, read, resources }: Context) =>
  new Command('delete')
    .description('delete a workspace and its data; its keys and its audit log are kept')
    .argument('<slug>')
    .option('--yes', 'confirm; without this, only show what would be deleted')
    .option('--json', 'print the deleted counts as JSON')
    .notes(
      "\nThis cannot be undone, except from a backup; 'vitrine workspace archive' only makes a workspace unavailable.",
    )
    .examples('workspace delete northwind --yes')
    .action(async (slug: string, { yes, json }: { yes?: true; json?: true }) => {
      const tables = tablesOf(resources)
      if (!yes) {
        const contents = await withProgress('counting what would be deleted', () =>
          read((tx) => workspaceContents(tx, tables, slug)),
        )
        throw new UsageError(`this would delete ${slug} with ${summaryOf(contents)}; add --yes to do it`)
      }
      const contents = await withProgress(`deleting ${sanitize(slug)} and its data`, () =>
        withStore((store) => deleteWorkspace(store, tables, slug, actor(), isoNow())),
      )
      const { id } = contents.workspace
      if (json) return printJson({ id, slug, deleted: contents.deleted, keys: contents.keys })
      printMessage(`Deleted ${slug} with ${summaryOf(contents)}.`)
      printMessage(
        `Its audit log is kept ('vitrine audit --workspace ${id}'), and so are its keys, which no longer find anything: 'vitrine key list --workspace ${id}'.`,
      )
    })

/** For example "1,204 tasks, 3 members, 0 sources (keys in use: 2)". Zeros are shown too. */
function summaryOf({ deleted, keys }: WorkspaceContents): string {
  const parts = Object.entries(deleted).map(([name, count]) => `${formatCount(count)} ${name}`)
  return `${parts.join(', ')} (keys in use: ${formatCount(keys)})`
}
