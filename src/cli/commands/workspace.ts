import { counted, formatCount } from '../../lib/format-count.ts'
import { type List, listsOf } from '../../lists/definition.ts'
import {
  deleteWorkspace,
  eraseWorkspace,
  type WorkspaceContents,
  workspaceContents,
} from '../../provisioning/delete-workspace.ts'
import { deletedWorkspaceId, listWorkspaces } from '../../workspaces/records.ts'
import {
  archiveWorkspace,
  checkedDetails,
  checkedUpdate,
  createWorkspace,
  restoreWorkspace,
  updateWorkspace,
} from '../../workspaces/workspaces.ts'
import { Command } from '../command.ts'
import { actor, type Context, isoNow } from '../context.ts'
import { UsageError } from '../errors.ts'
import { isJson, print, printJson, printMessage, printResult } from '../terminal/output.ts'
import { printList } from '../terminal/table.ts'

export const command = (context: Context) =>
  new Command('workspace', 'create, list, update, archive, restore and delete workspaces').subcommands(
    ...[create, list, update, archive, restore, remove].map((command) => command(context)),
  )

interface CreateOptions {
  name: string
  slug: string
  timezone?: string
  currency?: string
  country?: string
}

const create = ({ write }: Context) =>
  new Command('create', 'create a workspace and print its id')
    .requiredOption('--name <name>', 'display name')
    .requiredOption('--slug <slug>', 'short name for commands: lower-case letters, digits and dashes')
    .option('--timezone <zone>', 'IANA timezone for business dates, such as Europe/London')
    .option('--currency <code>', 'ISO 4217 reporting currency, such as GBP')
    .option('--country <code>', 'ISO 3166-1 alpha-2 country, such as GB')
    .examples('workspace create --name "Northwind Buying" --slug northwind --timezone Europe/London --currency GBP')
    .withResult(async (details: CreateOptions) => {
      // A usage error must not leave a new database behind.
      checkedDetails(details)
      const workspace = await write((tx) => createWorkspace(tx, details, actor()), { create: true })
      if (isJson()) return printJson(workspace)
      const { id, slug } = workspace
      print(id)
      printMessage(`Created the workspace ${slug}. Next: 'vitrine key create --workspace ${slug} --label <label>'.`)
    })

const list = ({ read }: Context) =>
  new Command('list', 'list all workspaces')
    .examples('workspace list', 'workspace list --json')
    .withResult(async () => {
      const workspaces = await read(listWorkspaces)
      printList(workspaces, "There are no workspaces yet; create one with 'vitrine workspace create'.", {
        SLUG: ({ slug }) => slug,
        NAME: ({ name }) => name,
        TIMEZONE: ({ timezone }) => timezone,
        CURRENCY: ({ currencyCode }) => currencyCode,
        COUNTRY: ({ countryCode }) => countryCode,
        STATE: ({ archivedAt }) => (archivedAt === null ? 'available' : 'archived'),
        ID: ({ id }) => id,
      })
    })

/** Clears a default. An empty value is rejected, since it may come from an unset shell variable. */
const NONE = 'none'

const update = ({ write }: Context) =>
  new Command('update', 'change the name or the defaults of a workspace; options that are left out stay unchanged')
    .argument('<slug>')
    .option('--name <name>', 'display name')
    .option('--timezone <zone>', `IANA timezone for business dates, such as Europe/London; ${NONE} for no default`)
    .option('--currency <code>', `ISO 4217 reporting currency, such as GBP; ${NONE} for no default`)
    .option('--country <code>', `ISO 3166-1 alpha-2 country, such as GB; ${NONE} for no default`)
    .examples('workspace update northwind --timezone Europe/Lisbon --currency EUR')
    .withResult(async (slug: string, { name, ...defaults }: Partial<CreateOptions>) => {
      const emptied = Object.entries(defaults).map(([key, value]) => [key, value === NONE ? null : value])
      const wanted = { ...(name !== undefined && { name }), ...Object.fromEntries(emptied) }
      if (Object.keys(wanted).length === 0)
        throw new UsageError('nothing to change: add --name, --timezone, --currency or --country')
      // Usage errors are reported before the database is opened.
      checkedUpdate(wanted)
      const { workspace, changed } = await write((tx) => updateWorkspace(tx, slug, wanted, actor()))
      const unchanged = `${slug} already has these values; nothing was changed.`
      printResult(workspace, changed.length === 0 ? unchanged : `Changed ${changed.join(', ')} of ${slug}.`)
    })

const archive = ({ write }: Context) =>
  new Command('archive', 'make a workspace unavailable; its keys and data are kept until it is restored')
    .argument('<slug>')
    .examples('workspace archive northwind')
    .withResult(async (slug: string) => {
      const workspace = await write((tx) => archiveWorkspace(tx, slug, actor()))
      printResult(workspace, `Archived ${slug}. 'vitrine workspace restore ${slug}' brings it back.`)
    })

const restore = ({ write }: Context) =>
  new Command('restore', 'make an archived workspace available again')
    .argument('<slug>')
    .examples('workspace restore northwind')
    .withResult(async (slug: string) => {
      const workspace = await write((tx) => restoreWorkspace(tx, slug, actor()))
      printResult(workspace, `Restored ${slug}.`)
    })

const remove = ({ withStore, read, resources }: Context) =>
  new Command('delete', 'delete a workspace and its data; its keys and its audit log are kept')
    .argument('<slug>')
    .option('--yes', 'confirm; without this, only show what would be deleted')
    .option('--purge', 'also erase its keys, their use, and its audit log')
    .notes(
      "\nThis cannot be undone, except from a backup; 'vitrine workspace archive' only makes a workspace unavailable.",
    )
    .examples('workspace delete northwind --yes')
    .withResult(async (slug: string, { yes, purge }: { yes?: true; purge?: true }) => {
      const lists = listsOf(resources)
      const deletedId = purge && (await read((tx) => deletedWorkspaceId(tx, slug)))
      if (deletedId) {
        if (!yes) throw new UsageError(`this would erase what is left of ${slug}; add --yes to do it`)
        await erase(withStore, deletedId)
        return isJson() ? printJson({ id: deletedId, purged: true }) : undefined
      }
      if (!yes) {
        const contents = await read((tx) => workspaceContents(tx, lists, slug))
        throw new UsageError(`this would delete ${slug} with ${summaryOf(contents, lists)}; add --yes to do it`)
      }
      const contents = await withStore((store) => deleteWorkspace(store, lists, slug, actor()))
      const { id } = contents.workspace
      if (purge) await erase(withStore, id)
      const { deleted, keys } = contents
      if (isJson()) return printJson({ id, slug, deleted, keys, ...(purge && { purged: true }) })
      printMessage(`Deleted ${slug} with ${summaryOf(contents, lists)}.`)
      if (purge) return
      printMessage(
        `Its audit log is kept ('vitrine audit --workspace ${id}'), and so are its keys, which no longer find anything: 'vitrine key list --workspace ${id}'.`,
      )
    })

async function erase(withStore: Context['withStore'], id: string): Promise<void> {
  printMessage(
    `Erasing what is left of ${id}. If this is interrupted, run 'vitrine workspace delete ${id} --yes --purge'.`,
  )
  await withStore((store) => eraseWorkspace(store, id))
  // The program's only trace of it, without personal data.
  printMessage(`${isoNow()} Erased the keys, their use and the audit log of ${id}, by ${actor()}.`)
}

/** For example "1,204 tasks, 1 member, 0 sources (keys in use: 2)". Zeros are shown too. */
function summaryOf({ deleted, keys }: WorkspaceContents, lists: readonly List[]): string {
  const singularOf = (name: string) => lists.find((list) => list.name === name)?.singular ?? name.slice(0, -1)
  const parts = Object.entries(deleted).map(([name, count]) => counted(count, singularOf(name), name))
  return `${parts.join(', ')} (keys in use: ${formatCount(keys)})`
}
