import { Command } from 'commander'
import { newestEntries } from '../audit/log.ts'
import { workspaceIdOrThrow } from '../resources/workspace/records.ts'
import { command as verifyCommand } from './audit-verify.ts'
import type { Context } from './context.ts'
import { UsageError } from './errors.ts'
import { printJson, printMessage, printTable } from './output.ts'

interface Options {
  workspace?: string
  limit: string
  json?: true
}

export const command = (context: Context) =>
  new Command('audit')
    .description('show who did what to a workspace and its keys, newest first')
    .enablePositionalOptions()
    .option('--workspace <slug>', 'the workspace; the id of one that was deleted')
    .option('--limit <n>', 'maximum number of entries', '100')
    .option('--json', 'print them as JSON, one entry per line')
    .addCommand(verifyCommand(context))
    .action(async ({ workspace, limit, json }: Options, command: Command) => {
      // Not a required option: commander would require it for 'verify', too.
      if (workspace === undefined) return command.error("error: required option '--workspace <slug>' not specified")
      if (!/^[1-9]\d{0,8}$/.test(limit)) throw new UsageError('--limit: must be a whole number from 1')
      const trail = await context.withReadingStore((store) =>
        store.read(async (tx) => newestEntries(tx, await workspaceIdOrThrow(tx, workspace), Number(limit))),
      )
      if (json) return trail.forEach(printJson)
      if (trail.length === 0) return printMessage(`${workspace} has no audit entries yet.`)
      printTable(trail, {
        TIME: (entry) => entry.at,
        ACTOR: (entry) => entry.actor,
        ACTION: (entry) => entry.action,
        SUBJECT: (entry) => entry.subject,
        DETAIL: (entry) => JSON.stringify(entry.detail),
      })
    })
