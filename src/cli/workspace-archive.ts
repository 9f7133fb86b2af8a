import { Command } from 'commander'
import { archiveWorkspace } from '../resources/workspace/workspaces.ts'
import { actor, type Context, isoNow } from './context.ts'
import { printMessage } from './output.ts'

export const command = ({ withStore }: Context) =>
  new Command('archive')
    .description('make a workspace unavailable; its keys and tasks stay, and it can be restored')
    .argument('<slug>')
    .action(async (slug: string) => {
      await withStore((store) => archiveWorkspace(store, slug, actor(), isoNow()))
      printMessage(`Archived ${slug}. 'vitrine workspace restore ${slug}' brings it back.`)
    })
