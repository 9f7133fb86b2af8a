import { Command } from 'commander'
import { type Pruned, pruneAudit } from '../audit/retention.ts'
import { ConfigError, readSetting } from '../config.ts'
import { formatCount } from '../lib/format-count.ts'
import { listWorkspaces } from '../resources/workspace/records.ts'
import type { Context } from './context.ts'
import { ExitCode } from './errors.ts'
import { printJson, printMessage } from './output.ts'
import { retentionTime, TRUST_CLOCK } from './retention-time.ts'

export const command = ({ withStore }: Context) =>
  new Command('prune')
    .description('remove the audit entries that are older than AUDIT_RETENTION')
    .option(...TRUST_CLOCK)
    .option('--json', 'print what was removed as JSON, one workspace per line')
    .addHelpText(
      'after',
      `
A server does the same once a day if AUDIT_RETENTION is set for it. This command is for servers whose role may not remove
entries, run by a timer with the operator's role. What is left verifies, and tells what was removed, and when.

Examples:
  AUDIT_RETENTION=400d vitrine audit prune`,
    )
    .action(async ({ json, trustClock }: { json?: true; trustClock?: true }) => {
      const retentionMs = readSetting(process.env, 'AUDIT_RETENTION')
      if (retentionMs === 0)
        throw new ConfigError('AUDIT_RETENTION: must be set, such as 400d; without it all audit entries are kept')
      const { results, slugs } = await withStore(async (store) => ({
        slugs: new Map((await store.read((tx) => listWorkspaces(tx))).map(({ id, slug }) => [id, slug])),
        results: await pruneAudit(store, (await retentionTime(store, trustClock)).ms - retentionMs),
      }))
      const named = results.map((result) => ({ workspace: slugs.get(result.workspaceId) ?? null, ...result }))
      for (const result of named) json ? printJson(asJson(result)) : printMessage(asLine(result))
      if (!json && named.length === 0) printMessage('No entry is that old.')
      if (named.some(({ fault }) => fault !== null)) process.exitCode = ExitCode.failure
    })

type Named = Pruned & { workspace: string | null }

function asLine({ workspace, workspaceId, removed, through, fault }: Named): string {
  const name = workspace ?? workspaceId
  const done = `${name}: removed ${formatCount(removed)} ${removed === 1 ? 'entry' : 'entries'}`
  if (fault === null) return `${done}, up to number ${formatCount(through)}`
  return `${done}; entry ${fault.number} does not fit, and stays as evidence: run 'vitrine audit verify'`
}

const asJson = ({ workspace, workspaceId, removed, through, fault }: Named) => ({
  ...{ workspace, workspaceId, removed, through: removed === 0 ? null : through },
  fault: fault && { kind: fault.kind, number: fault.number },
})
