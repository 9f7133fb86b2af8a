import type { Remembered } from '../database/declared-tables.ts'
import { StorageError } from '../database/errors.ts'
import { identityOf } from '../resources/declared/compile.ts'
import type { Definition } from '../resources/declared/definition.ts'
import { rememberedResources } from '../resources/declared/retirement.ts'
import type { Resource } from '../resources/define.ts'
import { Command } from './command.ts'
import type { Context } from './context.ts'
import { printJson, printMessage } from './output.ts'
import { printTable } from './table.ts'

const HELP = `
MIGRATED is 'yes' if the database has the same definition as the file, and 'changed' if they differ, but both can be used. If the database
cannot be used before 'vitrine migrate', a message says so. A resource without a FILE is still in the database.`

export const list = ({ resources, failure, read }: Context) =>
  new Command('list')
    .description('list your own resources, with what clients and commands call them')
    .option('--json', 'print them as a JSON array')
    .notes(HELP)
    .examples('resource list')
    .action(async ({ json }: { json?: true }) => {
      if (failure !== undefined) throw failure
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
      if (json) return printJson(rows)
      if (rows.length === 0) return printMessage("There are none; 'vitrine resource new' drafts one.")
      printTable(rows, {
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

function rowOf({ declared, table }: Resource, remembered: readonly Remembered[] | undefined) {
  if (declared === undefined || table?.declaration === undefined) return []
  const { definition, file } = table.declaration
  const found = remembered?.find(({ name }) => name === declared.name)
  const migrated = found === undefined ? null : found.definition === definition ? 'yes' : 'changed'
  return { ...namesOf(declared), state: declared.state, migrated, file }
}

const withoutFile = (resources: readonly Resource[], remembered: readonly Remembered[] = []) =>
  remembered
    .filter(({ name }) => !resources.some((resource) => resource.name === name))
    .flatMap(({ state, definition }) =>
      definition === null
        ? []
        : { ...namesOf(JSON.parse(definition) as Definition), state, migrated: 'yes', file: null },
    )

function namesOf(definition: Definition) {
  const { name, path, permission, tool, table } = identityOf(definition)
  return { name, path, tool: tool.name, permission, command: table.singular }
}
