import { formatCount } from '../../../lib/format-count.ts'
import type { List, RowsInPlace } from '../../../lists/definition.ts'
import type { Resource } from '../../../resources/define.ts'
import { deleteRow, findRow, listRows, type ShownRow } from '../../../resources/rows.ts'
import { workspaceOrThrow } from '../../../workspaces/records.ts'
import { Command } from '../../command.ts'
import { actor, type Context } from '../../context.ts'
import { UsageError } from '../../errors.ts'
import { isJson, print, printFacts, printJson, printMessage, printResult } from '../../terminal/output.ts'
import { type PrintedColumns, printSlices } from '../../terminal/table.ts'
import { parseLimit } from '../../terminal/usage.ts'
import { importCommand } from './import.ts'
import { syncCommand } from './sync.ts'

const DEFAULT_LIMIT = 1000

export const command = (context: Context, listed: List, path: Resource['path']) =>
  listed.rows === undefined ? storedCommand(context, listed, path) : commandInPlace(listed, listed.rows, path)

const storedCommand = (context: Context, listed: List, path: Resource['path']) =>
  new Command(
    listed.singular,
    `import, sync, list, show and delete the ${listed.name} of a workspace, and show maps`,
  ).subcommands(
    importCommand(context, listed, path),
    showMap(listed),
    ...[syncCommand, list, show, remove].map((command) => command(context, listed)),
  )

/** The database of the application has the rows, so its own programs show and change them. */
const commandInPlace = ({ name, singular }: List, { table, database }: RowsInPlace, path: Resource['path']) =>
  new Command(singular, `none: ${name} are read in place from the table ${table}`).subcommands(
    ...['import', 'sync', 'delete', 'list', 'show'].map((verb) =>
      new Command(verb, 'refused, because the rows are in the database of an application')
        .argument('[words...]')
        .allowUnknownOption()
        .action(() => {
          throw new UsageError(
            `${name} are read in place, and their rows live in the table ${table} of the database in ${database}: change them there; GET ${path} shows them`,
          )
        }),
    ),
  )

interface Options {
  workspace: string
}

const list = ({ read }: Context, listed: List) =>
  new Command('list', `list the ${listed.name} of a workspace in the order of the API, with their source and state`)
    .requiredOption('--workspace <slug>', 'the workspace')
    .option('--all', 'include those that are not current')
    .option('--limit <n>', 'maximum number', parseLimit, DEFAULT_LIMIT)
    .notes(
      `\nSTATE is 'current', or the reason why the API leaves a row out; it returns at most ${listed.limit} ${listed.name}.`,
    )
    .examples(`${listed.singular} list --workspace northwind --all`)
    .withLines(({ workspace: slug, all = false, limit }: Options & { all?: boolean; limit: number }) =>
      read(async (tx) => {
        const workspace = await workspaceOrThrow(tx, slug)
        const { rows, count } = await listRows(tx, listed, workspace, { all, limit })
        const printed = await printSlices(rows, columnsFor(listed), jsonOf)
        if (count === 0 && !isJson()) printMessage(`${slug} has no ${all ? '' : 'current '}${listed.name}.`)
        if (count > printed) printMessage(`${formatCount(count - printed)} more; --limit shows them.`)
      }),
    )

const showMap = ({ singular }: List) =>
  new Command('map', 'print a built-in map, as a starting point for your own')
    .argument('<name>', 'the map; an unknown name lists them all')
    .examples(`${singular} map jira-csv > ./map.json`)
    .action(async (name: string) => {
      const { builtInMap } = await import('../../../import/map/load-map.ts')
      print((await builtInMap(name)).trimEnd())
    })

const show = ({ read }: Context, listed: List) =>
  new Command('show', `show a ${listed.singular} with all stored fields, and whether the API returns it`)
    .argument('<id>', `the id, as 'vitrine ${listed.singular} list' shows it`)
    .requiredOption('--workspace <slug>', 'the workspace')
    .examples(`${listed.singular} show --workspace northwind 4711`)
    .withResult(async (id: string, { workspace }: Options) => {
      const stored = await read(async (tx) => findRow(tx, listed, await workspaceOrThrow(tx, workspace), id))
      if (isJson()) printJson(jsonOf(stored))
      else {
        // The fields may include a state of their own.
        const state = 'state' in stored.row ? 'listed' : 'state'
        printFacts({ ...stored.row, source: stored.source, [state]: stored.whyNotListed ?? 'current' })
      }
    })

const remove = ({ withStore }: Context, listed: List) =>
  new Command('delete', `delete a ${listed.singular}, effective immediately`)
    .argument('<id>', `the id, as 'vitrine ${listed.singular} list' shows it`)
    .requiredOption('--workspace <slug>', 'the workspace')
    .examples(`${listed.singular} delete --workspace northwind 4711`)
    .withResult(async (id: string, { workspace }: Options) => {
      const deleted = await withStore((store) =>
        store.transaction((tx) => deleteRow(tx, store.listInUse(listed), workspace, id, actor())),
      )
      printResult(jsonOf(deleted), `Deleted the ${listed.singular} ${id} of ${workspace}.`)
      if (deleted.source !== null)
        printMessage(`It was synced from ${deleted.source}: the next sync brings it back, unless it is deleted there.`)
    })

const jsonOf = ({ row, source, whyNotListed }: ShownRow) => ({ ...row, source, whyNotAnswered: whyNotListed })

/** The label may be long, so it comes last and needs no padding. */
function columnsFor({ order, label }: List): PrintedColumns<ShownRow> {
  const cell =
    (name: string) =>
    ({ row }: ShownRow) =>
      row[name] ?? null
  const columns: PrintedColumns<ShownRow> = {}
  const ordered = order.map(({ name }) => name)
  for (const name of ['id', ...ordered]) if (name !== label) columns[headerOf(name)] = cell(name)
  columns.SOURCE = ({ source }) => source
  columns[[...ordered, label].includes('state') ? 'LISTED' : 'STATE'] = ({ whyNotListed }) => whyNotListed ?? 'current'
  if (label !== undefined) columns[headerOf(label)] = cell(label)
  return columns
}

const headerOf = (field: string) => field.replace(/[A-Z]/g, ' $&').toUpperCase()
