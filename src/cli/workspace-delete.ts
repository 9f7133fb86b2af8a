import { Command } from 'commander'
import { tablesOf } from '../database/table.ts'
import { formatCount } from '../lib/format-count.ts'
import { deleteWorkspace, type WorkspaceContents, workspaceContents } from '../resources/workspace/delete.ts'
import { actor, type Context, isoNow } from './context.ts'
import { UsageError } from './errors.ts'
import { printJson, printMessage, sanitize } from './output.ts'
import { withProgress } from './progress.ts'

export const command = ({ withStore, withReadingStore, resources }: Context) =>
  new Command('delete')
    .description('delete a workspace with all that is in it; its keys and its audit log stay')
    .argument('<slug>')
    .option('--yes', 'delete it; without this it is only said what would be deleted')
    .option('--json', 'print what was deleted, as JSON')
    .addHelpText(
      'after',
      `
It cannot be undone, except with a backup; 'vitrine workspace archive' makes a workspace unavailable and keeps it.

Examples:
  vitrine workspace delete northwind --yes`,
    )
    .action(async (slug: string, { yes, json }: { yes?: true; json?: true }) => {
      const tables = tablesOf(resources)
      if (!yes) {
        const contents = await withProgress((progress) => {
          progress.phase('counting what would be deleted')
          return withReadingStore((store) => store.read((tx) => workspaceContents(tx, tables, slug)))
        })
        throw new UsageError(`this would delete ${slug} with ${summaryOf(contents)}; add --yes to do it`)
      }
      const contents = await withProgress((progress) => {
        progress.phase(`deleting ${sanitize(slug)} and all that is in it`)
        return withStore((store) => deleteWorkspace(store, tables, slug, actor(), isoNow()))
      })
      const { workspace, deleted, keys } = contents
      if (json) return printJson({ id: workspace.id, slug, deleted, keys })
      printMessage(`Deleted ${slug} with ${summaryOf(contents)}.`)
      printMessage(
        `Its audit log stays ('vitrine audit --workspace ${workspace.id}'), and so do its keys, which find nothing any more: 'vitrine key list --workspace ${workspace.id}'.`,
      )
    })

/** Such as "1,204 tasks, 3 members, 0 sources; 2 keys would stay": every number, so that a surprise shows. */
function summaryOf({ deleted, keys }: WorkspaceContents): string {
  const parts = Object.entries(deleted).map(([name, count]) => `${formatCount(count)} ${name}`)
  return `${parts.join(', ')} (keys in use: ${formatCount(keys)})`
}
