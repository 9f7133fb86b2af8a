import { Command } from 'commander'
import { removeMember } from '../members/members.ts'
import { actor, type Context, isoNow } from './context.ts'
import { printMessage } from './output.ts'

export const command = ({ withStore }: Context) =>
  new Command('remove')
    .description(
      'remove a member from a workspace; keys that they created are kept, and the last owner cannot be removed',
    )
    .requiredOption('--workspace <slug>', 'the workspace')
    .requiredOption('--email <address>', 'the person')
    .action(async ({ workspace, email }: { workspace: string; email: string }) => {
      await withStore((store) => removeMember(store, workspace, email, actor(), isoNow()))
      printMessage(`${email} is no longer a member of ${workspace}.`)
    })
