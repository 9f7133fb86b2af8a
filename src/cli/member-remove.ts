import { Command } from 'commander'
import { removeMember } from '../members/members.ts'
import { actor, type Context, nowText } from './context.ts'
import { say } from './outcome.ts'

export const command = ({ withStore }: Context) =>
  new Command('remove')
    .description('remove a member from a workspace; keys that they made stay')
    .requiredOption('--workspace <slug>', 'the workspace')
    .requiredOption('--email <address>', 'the person')
    .action(async ({ workspace, email }: { workspace: string; email: string }) => {
      await withStore((store) => removeMember(store, workspace, email, actor(), nowText()))
      say(`${email} is no longer a member of ${workspace}.`)
    })
