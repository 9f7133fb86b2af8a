import { StorageError } from '../../../database/errors.ts'
import { type DeclaredResource, rememberedResources } from '../../../database/tables/declared-lists.ts'
import { counted } from '../../../lib/format-count.ts'
import { listsOf } from '../../../lists/definition.ts'
import { identityOf } from '../../../resources/declared/compile.ts'
import type { Definition } from '../../../resources/declared/definition.ts'
import { type Dropped, droppedOf, dropResource, rowsToDrop } from '../../../resources/declared/retirement.ts'
import type { Resource } from '../../../resources/define.ts'
import { Command } from '../../command.ts'
import { actor, type Context } from '../../context.ts'
import { UsageError } from '../../errors.ts'
import { printMessage, printResult } from '../../terminal/output.ts'
import { printList } from '../../terminal/table.ts'
import { check } from './check.ts'
import { draft } from './new.ts'

export const command = (context: Context) =>
  new Command('resource', 'declare resources of your own: draft, check, list and drop them').subcommands(
    ...[draft, check, list, drop].map((command) => command(context)),
  )

const HELP = `
MIGRATED is 'yes' if the database has the same definition as the file, and 'changed' if they differ, but both can be used. If the database
cannot be used before 'vitrine migrate', this is reported. A resource without a FILE is still in the database.`

const list = ({ requireResources, read }: Context) =>
  new Command('list', 'list your own resources, with their names for clients and commands')
    .notes(HELP)
    .examples('resource list')
    .withResult(async () => {
      const resources = requireResources()
      // The definitions can be listed before there is a database.
      const remembered = await read(rememberedResources).catch((error) => {
        if (!(error instanceof StorageError)) throw error
        printMessage(`The database was not read: ${error.message}`)
        return undefined
      })
      const rows = [
        ...resources.flatMap((resource) => rowOf(resource, remembered)),
        ...withoutFile(resources, remembered),
      ]
      printList(rows, "There are no declared resources; 'vitrine resource new' drafts one.", {
        NAME: ({ name }) => name,
        STATE: ({ state }) => state,
        PATH: ({ path }) => path,
        TOOL: ({ tool }) => tool,
        PERMISSION: ({ permission }) => permission,
        COMMAND: ({ command }) => command,
        MIGRATED: ({ migrated }) => migrated,
        FILE: ({ file }) => file,
      })
    })

function rowOf({ declared, declaration }: Resource, remembered: readonly DeclaredResource[] | undefined) {
  if (declared === undefined || declaration === undefined) return []
  const { definition, file } = declaration
  const stored = remembered?.find(({ name }) => name === declared.name)
  const migrated = stored === undefined ? null : stored.definition === definition ? 'yes' : 'changed'
  return { ...namesOf(declared), state: declared.state, migrated, file }
}

const withoutFile = (resources: readonly Resource[], remembered: readonly DeclaredResource[] = []) =>
  remembered
    .filter(({ name }) => !resources.some((resource) => resource.name === name))
    .map(({ state, definition }) => {
      return { ...namesOf(JSON.parse(definition) as Definition), state, migrated: 'yes', file: null }
    })

function namesOf(definition: Definition) {
  const { name, path, permission, tool, list } = identityOf(definition)
  return { name, path, tool: tool.name, permission, command: list.singular }
}

const drop = ({ write, read, resources }: Context) =>
  new Command('drop', 'delete the rows of a retired resource, or of a draft, whose file is gone')
    .argument('<name>', 'such as orders')
    .option('--yes', 'confirm; without this, only show what would be deleted')
    .notes(
      '\nA published resource can be dropped once its sunset has passed. This cannot be undone, except from a backup.',
    )
    .examples('resource drop orders --yes')
    .withResult(async (name: string, { yes }: { yes?: true }) => {
      const declared = listsOf(resources).map((list) => list.name)
      if (!yes) {
        const rows = await read((tx) => rowsToDrop(tx, name, declared))
        throw new UsageError(`this would delete ${summaryOf(droppedOf(name, rows))}; add --yes to do it`)
      }
      const dropped = await write((tx) => dropResource(tx, name, declared, actor()))
      printResult(dropped, `Dropped ${summaryOf(dropped)}.`)
    })

const summaryOf = ({ resource, rows, workspaces }: Dropped) =>
  `${resource} with ${counted(rows, 'row')} of ${counted(workspaces, 'workspace')}`
