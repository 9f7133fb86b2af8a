import { Command } from 'commander'
import { restoreWorkspace } from '../resources/workspace/workspaces.ts'
import { actor, type Context, nowText } from './context.ts'
import { say } from './outcome.ts'

export const command = ({ withStore }: Context) =>
  new Command('restore')
    .description('make an archived workspace available again')
    .argument('<slug>')
    .action(async (slug: string) => {
      await withStore((store) => restoreWorkspace(store, slug, actor(), nowText()))
      say(`Restored ${slug}.`)
    })
