import { Command } from 'commander'
import { endOf, isLogDay, startOf } from '../audit/days.ts'
import { newestEntries } from '../audit/log.ts'
import { searchTrail } from '../audit/search.ts'
import type { ReadingStore } from '../database/store.ts'
import { findWorkspace, workspaceIdOrThrow } from '../resources/workspace/records.ts'
import { command as verifyCommand } from './audit-verify.ts'
import type { Context } from './context.ts'
import { UsageError } from './errors.ts'
import { printJson, printMessage } from './output.ts'
import { prune } from './retention.ts'
import { mayShrink, printTable } from './table.ts'
import { examples, parseLimit } from './usage.ts'

interface Filter {
  since?: string
  until?: string
  actor?: string
  search?: string
}

interface Options extends Filter {
  workspace?: string
  limit: number
  json?: true
}

export const command = (context: Context) =>
  new Command('audit')
    .description('show who did what to a workspace and its keys, newest first')
    .enablePositionalOptions()
    .option('--workspace <slug>', 'the workspace; the id of one that was deleted')
    .option('--since <day>', "from this day on, such as 2026-11-01, in the workspace's timezone")
    .option('--until <day>', 'until this day, which is included')
    .option('--actor <text>', 'only what was done by someone with this text in their name')
    .option('--search <words>', 'only entries that hold each of these words')
    .option('--limit <n>', 'maximum number of entries', parseLimit, 100)
    .option('--json', 'print them as JSON, one entry per line')
    .addHelpText(
      'after',
      examples(
        'audit --workspace northwind --since 2026-11-01 --actor ines',
        'audit --workspace northwind --limit 1000 --json > audit.ndjson',
      ),
    )
    .addCommand(verifyCommand(context))
    .addCommand(prune(context))
    .action(async ({ workspace, limit, json, ...filter }: Options, command: Command) => {
      // Not a required option: commander would require it for 'verify', too.
      if (workspace === undefined) return command.error("error: required option '--workspace <slug>' not specified")
      checkDays(filter)
      const isFiltered = Object.keys(filter).length > 0
      const trail = await context.withReadingStore((store) =>
        isFiltered
          ? search(store, workspace, filter, limit)
          : store.read(async (tx) => newestEntries(tx, await workspaceIdOrThrow(tx, workspace), limit)),
      )
      if (json) return trail.forEach(printJson)
      if (trail.length === 0)
        return printMessage(isFiltered ? 'No entry matches.' : `${workspace} has no audit entries yet.`)
      printTable(trail, {
        TIME: (entry) => entry.at,
        ACTOR: mayShrink((entry) => entry.actor),
        ACTION: (entry) => entry.action,
        SUBJECT: (entry) => entry.subject,
        DETAIL: mayShrink((entry) => JSON.stringify(entry.detail)),
      })
    })

function checkDays({ since, until }: Filter): void {
  for (const [option, day] of Object.entries({ since, until }))
    if (day !== undefined && !isLogDay(day))
      throw new UsageError(`--${option}: must be a day that exists, such as 2026-11-15`)
  if (since !== undefined && until !== undefined && since > until)
    throw new UsageError('--until: must not be before --since')
}

/** Only entries of the chain, as without a filter: refusals are on the settings page. */
async function search(store: ReadingStore, workspace: string, filter: Filter, limit: number) {
  const { since, until, actor = '', search = '' } = filter
  const { workspaceId, timezone } = await store.read(async (tx) => ({
    workspaceId: await workspaceIdOrThrow(tx, workspace),
    timezone: (await findWorkspace(tx, workspace))?.timezone ?? 'UTC',
  }))
  const { entries } = await searchTrail(
    store,
    {
      ...{ workspaceId, keyId: null, kind: null, isChained: true, actor, search },
      from: since === undefined ? null : startOf(since, timezone),
      until: until === undefined ? null : endOf(until, timezone),
    },
    { before: null, limit },
  )
  return entries.map(({ position: _, link, ...entry }) => ({ ...entry, ...link }))
}
