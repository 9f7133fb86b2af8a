import { Command } from 'commander'
import { memberAddCommand } from './member-add.ts'
import { memberLinkCommand } from './member-link.ts'
import { memberListCommand } from './member-list.ts'
import { memberRemoveCommand } from './member-remove.ts'

export const command = () =>
  new Command('member')
    .description('say who belongs to a workspace, and in which role')
    .addCommand(memberAddCommand())
    .addCommand(memberLinkCommand())
    .addCommand(memberListCommand())
    .addCommand(memberRemoveCommand())
