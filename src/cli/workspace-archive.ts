import { Command } from 'commander'
import { archiveWorkspace } from '../resources/workspace/workspaces.ts'
import { actor, type Context, nowText } from './context.ts'
import { say } from './outcome.ts'

export const command = ({ withStore }: Context) =>
  new Command('archive')
    .description('make a workspace unavailable; its keys and tasks stay, and it can be restored')
    .argument('<slug>')
    .action(async (slug: string) => {
      await withStore((store) => archiveWorkspace(store, slug, actor(), nowText()))
      say(`Archived ${slug}. 'vitrine workspace restore ${slug}' brings it back.`)
    })
