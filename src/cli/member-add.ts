import { Command } from 'commander'
import { addMember, checkedMember } from '../members/members.ts'
import { actor, type Context, nowText } from './context.ts'
import { say } from './outcome.ts'
import { printJson } from './output.ts'

interface Options {
  workspace: string
  email: string
  role: string
  json?: true
}

export const command = ({ withStore }: Context) =>
  new Command('add')
    .description('add a member, or change the role of one')
    .requiredOption('--workspace <slug>', 'the workspace')
    .requiredOption('--email <address>', 'the person')
    .requiredOption('--role <role>', 'owner or admin: may make and revoke keys; member: may not')
    .option('--json', 'print the member as JSON')
    .action(async ({ workspace, email, role, json }: Options) => {
      checkedMember({ email, role })
      const member = await withStore((store) => addMember(store, workspace, { email, role }, actor(), nowText()))
      if (json) return printJson(member)
      say(`${member.email} is ${member.role} of ${workspace}.`)
    })
