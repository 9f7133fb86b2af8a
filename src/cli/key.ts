import { Command } from 'commander'
import { createCommand } from './key-create.ts'
import { listCommand } from './key-list.ts'
import { revokeCommand } from './key-revoke.ts'
import { rotateCommand } from './key-rotate.ts'

export const command = () =>
  new Command('key')
    .description('make, list, rotate and revoke API keys')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(rotateCommand())
    .addCommand(revokeCommand())
