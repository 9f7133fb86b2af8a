import { Command } from 'commander'
import { addMember, type ChangedMember, checkedMember } from '../members/members.ts'
import { roles } from '../members/records.ts'
import { rolesHelp } from '../members/roles.ts'
import { actor, type Context, isoNow } from './context.ts'
import { OptionWithKnownValues } from './known-values.ts'
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
    .addOption(new OptionWithKnownValues('--role <role>', rolesHelp, { values: roles }).makeOptionMandatory())
    .option('--json', 'print the member as JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  vitrine member add --workspace northwind --email ines@northwind.example --role owner',
    )
    .action(async ({ workspace, email, role, json }: Options) => {
      checkedMember({ email, role })
      const changed = await withStore((store) => addMember(store, workspace, { email, role }, actor(), isoNow()))
      printChangedMember(changed, workspace, json)
    })

/** Says what happened: the person may have been a member already, with this role or another. */
export function printChangedMember({ member, before }: ChangedMember, workspace: string, json?: true): void {
  const { email, role } = member
  if (json) printJson(member)
  else if (before === null) printMessage(`${email} is now ${role} of ${workspace}.`)
  else if (before === role) printMessage(`${email} is ${role} of ${workspace} already; nothing was changed.`)
  else printMessage(`${email} was ${before} of ${workspace} already, and is now ${role}.`)
}
