import { Command } from 'commander'
import { archiveWorkspace, restoreWorkspace } from '../resources/workspace/workspaces.ts'
import { actor, nowText, operate } from './operate.ts'
import { say } from './outcome.ts'

export const archiveCommand = () =>
  new Command('archive')
    .description('make a workspace unavailable; its keys and tasks stay, and it can be restored')
    .argument('<slug>')
    .action(async (slug: string) => {
      await operate((store) => archiveWorkspace(store, slug, actor(), nowText()))
      say(`Archived ${slug}. 'vitrine workspace restore ${slug}' brings it back.`)
    })

export const restoreCommand = () =>
  new Command('restore')
    .description('make an archived workspace available again')
    .argument('<slug>')
    .action(async (slug: string) => {
      await operate((store) => restoreWorkspace(store, slug, actor(), nowText()))
      say(`Restored ${slug}.`)
    })
