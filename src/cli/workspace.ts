import { Command } from 'commander'
import { archiveCommand, restoreCommand } from './workspace-archive.ts'
import { createCommand } from './workspace-create.ts'
import { listCommand } from './workspace-list.ts'

export const command = () =>
  new Command('workspace')
    .description('make, list, archive and restore workspaces')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(archiveCommand())
    .addCommand(restoreCommand())
