/** The commands that remove old records, as a server does once a day (serve/start-retention.ts). */
import { type PrunedChain, pruneAudit, retentionTime } from '../../audit/retention.ts'
import { readSetting } from '../../config.ts'
import type { OperatorStore } from '../../database/store.ts'
import { purgeKeys } from '../../keys/purge.ts'
import { counted, formatCount } from '../../lib/format-count.ts'
import { UserError } from '../../lib/user-error.ts'
import { listWorkspaces } from '../../workspaces/records.ts'
import { Command } from '../command.ts'
import { actor, type Context } from '../context.ts'
import { ExitCode } from '../errors.ts'
import { isJson, printMessage, printResult } from '../terminal/output.ts'
import { parseDuration } from '../terminal/usage.ts'

export const purge = (context: Context) =>
  new Command('purge', 'remove keys that were revoked or expired long ago, with everything recorded about them')
    .requiredOption('--ended-before <duration>', 'remove keys that ended longer ago than this, such as 365d')
    .notes(`
A removed key is still refused, like any unknown key. The audit log keeps its entries and records how many keys were
removed. A server does the same once a day if its KEY_RETENTION is set.`)
    .examples('key purge --ended-before 365d')
    .withLines(async ({ endedBefore }: { endedBefore: string }) => {
      const ageMs = parseDuration(endedBefore, '--ended-before')
      const results = await removeOld(context, ageMs, (store, before) => purgeKeys(store, before, actor()))
      for (const { workspace, workspaceId, removed } of results) {
        const line = `${workspace ?? workspaceId}: removed ${counted(removed, 'key')}`
        printResult({ workspace, workspaceId, removed }, line)
      }
      if (!isJson() && results.length === 0) printMessage('No keys ended that long ago.')
    })

export const prune = (context: Context) =>
  new Command('prune', 'remove the audit entries that are older than AUDIT_RETENTION')
    .notes(`
A server does the same once a day if its AUDIT_RETENTION is set. Run this command from a timer, with the operator's role,
if the server's database role may not remove entries. The remaining log still verifies, and records each removal.

Examples:
  AUDIT_RETENTION=400d vitrine audit prune`)
    .withLines(async () => {
      const retentionMs = readSetting(process.env, 'AUDIT_RETENTION')
      if (retentionMs === 0)
        throw new UserError('AUDIT_RETENTION: must be set, such as 400d; without it all audit entries are kept')
      const results = await removeOld(context, retentionMs, pruneAudit)
      for (const result of results) printResult(asJson(result), asLine(result))
      if (!isJson() && results.length === 0) printMessage('No entries are that old.')
      if (results.some(({ fault }) => fault !== null)) process.exitCode = ExitCode.failure
    })

type WithWorkspace<Result> = Result & { workspace: string | null }

function asLine({ workspace, workspaceId, removed, through, fault }: WithWorkspace<PrunedChain>): string {
  const name = workspace ?? workspaceId
  const done = `${name}: removed ${counted(removed, 'entry', 'entries')}`
  if (fault === null) return `${done}, up to number ${formatCount(through)}`
  return `${done}; entry ${fault.number} is broken and was kept as evidence: run 'vitrine audit verify'`
}

function asJson({ workspace, workspaceId, removed, through, fault }: WithWorkspace<PrunedChain>) {
  const broken = fault && { kind: fault.kind, number: fault.number }
  return { workspace, workspaceId, removed, through: removed === 0 ? null : through, fault: broken }
}

const removeOld = <Result extends { workspaceId: string }>(
  { withStore }: Context,
  ageMs: number,
  remove: (store: OperatorStore, beforeMs: number) => Promise<Result[]>,
): Promise<WithWorkspace<Result>[]> =>
  withStore(async (store) => {
    const slugs = new Map((await store.read(listWorkspaces)).map(({ id, slug }) => [id, slug]))
    const results = await remove(store, (await store.read(retentionTime)) - ageMs)
    return results.map((result) => ({ ...result, workspace: slugs.get(result.workspaceId) ?? null }))
  })
