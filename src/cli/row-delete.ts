import { Command } from 'commander'
import type { Table } from '../database/table.ts'
import { deleteRow } from '../resources/rows.ts'
import { actor, type Context } from './context.ts'
import { printJson, printMessage } from './output.ts'
import { jsonOf } from './row-list.ts'

/** `vitrine task delete` and its like. */
export const deleteCommand = ({ withStore }: Context, table: Table) =>
  new Command('delete')
    .description(`delete a ${table.singular}: the very next request no longer finds it`)
    .argument('<id>', `the id, as 'vitrine ${table.singular} list' shows it`)
    .requiredOption('--workspace <slug>', 'the workspace')
    .option('--json', 'print what was deleted, as JSON')
    .addHelpText('after', `\nExamples:\n  vitrine ${table.singular} delete --workspace northwind 4711`)
    .action(async (id: string, { workspace, json }: { workspace: string; json?: true }) => {
      const deleted = await withStore((store) => deleteRow(store, table, workspace, id, actor()))
      if (json) printJson(jsonOf(deleted))
      else printMessage(`Deleted the ${table.singular} ${id} of ${workspace}.`)
      if (deleted.source !== null)
        printMessage(
          deleted.source.startsWith('own:')
            ? `It is a row of an application's own tables (${deleted.source}): delete it there, or its next change brings it back.`
            : `It was synced from ${deleted.source}: the next sync brings it back, unless it is gone there.`,
        )
    })
