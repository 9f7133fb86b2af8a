import { Command } from 'commander'
import { listMembers } from '../members/members.ts'
import type { Context } from './context.ts'
import { printJson, printMessage } from './output.ts'
import { printTable } from './print-table.ts'

export const command = ({ withReadingStore }: Context) =>
  new Command('list')
    .description('list the members of a workspace')
    .requiredOption('--workspace <slug>', 'the workspace')
    .option('--json', 'print them as a JSON array')
    .addHelpText('after', '\nExamples:\n  vitrine member list --workspace northwind')
    .action(async ({ workspace, json }: { workspace: string; json?: true }) => {
      const members = await withReadingStore((store) => listMembers(store, workspace))
      if (json) return printJson(members)
      if (members.length === 0)
        return printMessage(`${workspace} has no members yet; add one with 'vitrine member add'.`)
      printTable(members, {
        EMAIL: (member) => member.email,
        ROLE: (member) => member.role,
        ADDED: (member) => member.addedAt,
        'LAST SIGNED IN': (member) => member.signedInAt ?? 'never',
      })
    })
