import { Command } from 'commander'
import { archiveWorkspace } from '../resources/workspace/workspaces.ts'
import { actor, type Context, isoNow } from './context.ts'
import { printJson, printMessage } from './output.ts'

export const command = ({ withStore }: Context) =>
  new Command('archive')
    .description('make a workspace unavailable; its keys and data are kept, and it can be restored')
    .argument('<slug>')
    .option('--json', 'print the workspace as JSON')
    .addHelpText('after', '\nExamples:\n  vitrine workspace archive northwind')
    .action(async (slug: string, { json }: { json?: true }) => {
      const workspace = await withStore((store) => archiveWorkspace(store, slug, actor(), isoNow()))
      if (json) return printJson(workspace)
      printMessage(`Archived ${slug}. 'vitrine workspace restore ${slug}' brings it back.`)
    })
