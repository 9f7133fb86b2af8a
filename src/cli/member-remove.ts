import { Command } from 'commander'
import { removeMember } from '../members/members.ts'
import { actor, type Context, isoNow } from './context.ts'
import { printJson, printMessage } from './output.ts'

export const command = ({ withStore }: Context) =>
  new Command('remove')
    .description(
      'remove a member from a workspace; keys that they created are kept, and the last owner cannot be removed',
    )
    .requiredOption('--workspace <slug>', 'the workspace')
    .requiredOption('--email <address>', 'the person')
    .option('--json', 'print who was removed, as JSON')
    .addHelpText('after', '\nExamples:\n  vitrine member remove --workspace northwind --email ines@northwind.example')
    .action(async ({ workspace, email, json }: { workspace: string; email: string; json?: true }) => {
      await withStore((store) => removeMember(store, workspace, email, actor(), isoNow()))
      if (json) return printJson({ workspace, email })
      printMessage(`${email} is no longer a member of ${workspace}.`)
    })
