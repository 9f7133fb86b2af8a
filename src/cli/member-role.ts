import { Command } from 'commander'
import { changeRole, checkedMember } from '../members/members.ts'
import { roles } from '../members/records.ts'
import { rolesHelp } from '../members/roles.ts'
import { actor, type Context, isoNow } from './context.ts'
import { OptionWithKnownValues } from './known-values.ts'
import { printChangedMember } from './member-add.ts'

interface Options {
  workspace: string
  email: string
  role: string
  json?: true
}

export const command = ({ withStore }: Context) =>
  new Command('role')
    .description('change the role of a member, from their next request on')
    .requiredOption('--workspace <slug>', 'the workspace')
    .requiredOption('--email <address>', 'the member')
    .addOption(new OptionWithKnownValues('--role <role>', rolesHelp, { values: roles }).makeOptionMandatory())
    .option('--json', 'print the member as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  vitrine member role --workspace northwind --email ines@northwind.example --role admin',
    )
    .action(async ({ workspace, email, role, json }: Options) => {
      checkedMember({ email, role })
      const changed = await withStore((store) => changeRole(store, workspace, { email, role }, actor(), isoNow()))
      printChangedMember(changed, workspace, json)
    })
