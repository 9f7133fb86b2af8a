import { Command } from 'commander'
import { addMember, checkedMember } from '../members/members.ts'
import { rolesHelp } from '../members/roles.ts'
import { actor, type Context, isoNow } from './context.ts'
import { printJson, printMessage } from './output.ts'

interface Options {
  workspace: string
  email: string
  role: string
  json?: true
}

export const command = ({ withStore }: Context) =>
  new Command('add')
    .description('add a member, or change their role')
    .requiredOption('--workspace <slug>', 'the workspace')
    .requiredOption('--email <address>', 'the person')
    .requiredOption('--role <role>', rolesHelp)
    .option('--json', 'print the member as JSON')
    .action(async ({ workspace, email, role, json }: Options) => {
      checkedMember({ email, role })
      const member = await withStore((store) => addMember(store, workspace, { email, role }, actor(), isoNow()))
      if (json) return printJson(member)
      printMessage(`${member.email} is ${member.role} of ${workspace}.`)
    })
