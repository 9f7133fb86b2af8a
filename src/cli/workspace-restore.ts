import { Command } from 'commander'
import { restoreWorkspace } from '../resources/workspace/workspaces.ts'
import { actor, type Context, isoNow } from './context.ts'
import { printMessage } from './output.ts'

export const command = ({ withStore }: Context) =>
  new Command('restore')
    .description('make an archived workspace available again')
    .argument('<slug>')
    .action(async (slug: string) => {
      await withStore((store) => restoreWorkspace(store, slug, actor(), isoNow()))
      printMessage(`Restored ${slug}.`)
    })
