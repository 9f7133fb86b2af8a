import { tablesOf } from '../database/table.ts'
import { counted } from '../lib/format-count.ts'
import { type Dropped, droppedOf, dropResource, rowsToDrop } from '../resources/declared/retirement.ts'
import { Command } from './command.ts'
import { actor, type Context, isoNow } from './context.ts'
import { UsageError } from './errors.ts'
import { printResult } from './output.ts'

export const drop = ({ withStore, read, resources }: Context) =>
  new Command('drop')
    .description('delete the rows of a retired resource, or of a draft, whose file is gone')
    .argument('<name>', 'such as orders')
    .option('--yes', 'confirm; without this, only show what would be deleted')
    .option('--json', 'print the deleted counts as JSON')
    .notes(
      '\nA published resource can be dropped once its sunset has passed. This cannot be undone, except from a backup.',
    )
    .examples('resource drop orders --yes')
    .action(async (name: string, { yes, json }: { yes?: true; json?: true }) => {
      const declared = tablesOf(resources).map((table) => table.name)
      if (!yes) {
        const rows = await read((tx) => rowsToDrop(tx, name, declared))
        throw new UsageError(`this would delete ${summaryOf(droppedOf(name, rows))}; add --yes to do it`)
      }
      const by = { actor: actor(), at: isoNow() }
      const dropped = await withStore((store) => store.transaction((tx) => dropResource(tx, name, declared, by)))
      printResult(json, dropped, `Dropped ${summaryOf(dropped)}.`)
    })

const summaryOf = ({ resource, rows, workspaces }: Dropped) =>
  `${resource} with ${counted(rows, 'row', 'rows')} of ${counted(workspaces, 'workspace', 'workspaces')}`
