import { Command } from 'commander'
import { restoreWorkspace } from '../resources/workspace/workspaces.ts'
import { actor, type Context, isoNow } from './context.ts'
import { printJson, printMessage } from './output.ts'

export const command = ({ withStore }: Context) =>
  new Command('restore')
    .description('make an archived workspace available again')
    .argument('<slug>')
    .option('--json', 'print the workspace as JSON')
    .addHelpText('after', '\nExamples:\n  vitrine workspace restore northwind')
    .action(async (slug: string, { json }: { json?: true }) => {
      const workspace = await withStore((store) => restoreWorkspace(store, slug, actor(), isoNow()))
      if (json) return printJson(workspace)
      printMessage(`Restored ${slug}.`)
    })
