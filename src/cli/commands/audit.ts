import { newestEntries } from '../../audit/log.ts'
import {
  type ChainFault,
  type ChainReport,
  type ExpectedEntry,
  verifyChain,
  verifyEveryChain,
} from '../../audit/verify.ts'
import type { Transaction } from '../../database/store.ts'
import { counted } from '../../lib/format-count.ts'
import { listWorkspaces, workspaceIdOrThrow } from '../../workspaces/records.ts'
import { Command } from '../command.ts'
import type { Context } from '../context.ts'
import { ExitCode, UsageError } from '../errors.ts'
import { isJson, print, printJson, printMessage, sanitize, verdicts } from '../terminal/output.ts'
import { printTable } from '../terminal/table.ts'
import { parseLimit } from '../terminal/usage.ts'
import { prune } from './retention.ts'

export const command = (context: Context) =>
  new Command('audit', 'show who did what to a workspace and its keys, newest first')
    .enablePositionalOptions()
    .hook('preSubcommand', (audit, subcommand) => {
      // Commander would ignore them, and 'audit --workspace acme prune' would prune every workspace.
      const ignored = audit.options.find((option) => audit.getOptionValueSource(option.attributeName()) === 'cli')
      if (ignored !== undefined && ignored.long !== '--env-file')
        throw new UsageError(`${ignored.long}: options of 'audit ${subcommand.name()}' must follow it`)
    })
    .option('--workspace <slug>', "the slug, or a deleted workspace's id")
    .option('--limit <n>', 'maximum number of entries', parseLimit, 100)
    .examples('audit --workspace northwind', 'audit --workspace northwind --limit 1000 --json > audit.ndjson')
    .subcommands(verify(context), prune(context))
    .withLines(async ({ workspace, limit }: { workspace?: string; limit: number }) => {
      // If the option were mandatory, Commander would require it for 'verify' too.
      if (workspace === undefined) throw new UsageError("required option '--workspace <slug>' not specified")
      const entries = await context.read(async (tx) =>
        newestEntries(tx, await workspaceIdOrThrow(tx, workspace), limit),
      )
      if (isJson()) return entries.forEach(printJson)
      if (entries.length === 0) return printMessage(`${workspace} has no audit entries yet.`)
      printTable(entries, {
        TIME: (entry) => entry.at,
        ACTOR: (entry) => entry.actor,
        ACTION: (entry) => entry.action,
        SUBJECT: (entry) => entry.subject,
        DETAIL: (entry) => JSON.stringify(entry.detail),
      })
    })

/** A deleted workspace has no slug, but its entries remain. */
type Finding = ChainReport & { slug: string | null }

const verify = ({ read }: Context) =>
  new Command('verify')
    .description('verify that no audit entry was changed or removed; report the first one otherwise (exit code 1)')
    .option('--workspace <slug>', "only this workspace: the slug, or a deleted one's id")
    .option('--expect <number:hash>', 'also compare with an earlier entry, such as a head that this command printed')
    .notes(
      '\nAnyone who can write to the database can write a new chain: store the printed heads elsewhere and compare them.',
    )
    .examples('audit verify', 'audit verify --workspace northwind --json')
    .withLines(async ({ workspace, expect }: { workspace?: string; expect?: string }) => {
      if (expect !== undefined && workspace === undefined)
        throw new UsageError('--expect: needs --workspace, since every workspace has its own chain')
      const expected = expect === undefined ? undefined : parseExpected(expect)
      const findings = await read((tx) => verifyChains(tx, workspace, expected))
      for (const finding of findings) isJson() ? printJson(asJson(finding)) : print(asLine(finding))
      if (findings.length === 0) printMessage('There are no workspaces yet.')
      if (findings.some(({ fault }) => fault !== null)) process.exitCode = ExitCode.failure
    })

function parseExpected(text: string): ExpectedEntry {
  const match = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text)
  if (match === null)
    throw new UsageError("--expect: must be a number and a hash, such as 17:5f2c…, as printed by 'audit verify'")
  return { number: Number(match[1]), hash: match[2] ?? '' }
}

async function verifyChains(tx: Transaction, slug: string | undefined, expected: ExpectedEntry | undefined) {
  const slugs = new Map((await listWorkspaces(tx)).map((workspace) => [workspace.id, workspace.slug]))
  const reports =
    slug === undefined
      ? await verifyEveryChain(tx, slugs.keys())
      : [await verifyChain(tx, await workspaceIdOrThrow(tx, slug), expected)]
  return reports.map((report): Finding => ({ ...report, slug: slugs.get(report.workspaceId) ?? null }))
}

function asLine({ slug, workspaceId, entries, head, prune, fault }: Finding): string {
  const name = slug ?? `${workspaceId} (deleted)`
  if (fault !== null) return `${verdicts.failed}  ${name}: ${faultLine(fault)}`
  if (head === undefined) return `${verdicts.ok}  ${name}: no entries`
  const older = prune && ` (older ones, up to ${prune.through}, were pruned, most recently on ${prune.at})`
  return `${verdicts.ok}  ${name}: ${counted(entries, 'entry', 'entries')}${older ?? ''}, head ${head.number}:${head.hash}`
}

function faultLine({ kind, number, entry, message }: ChainFault): string {
  const what = entry === null ? '' : ` (id ${entry.id}, ${entry.at}, ${entry.action} by ${entry.actor})`
  return sanitize(`entry ${number}${what}, ${kind}: ${message}`)
}

function asJson({ slug, workspaceId, entries, head, prune, fault }: Finding) {
  return {
    workspace: slug,
    workspaceId,
    ok: fault === null,
    entries,
    first: (head?.trimmedNumber ?? 0) + 1,
    pruned: prune === undefined ? null : { through: prune.through, at: prune.at },
    head: head === undefined ? null : { number: head.number, hash: head.hash },
    fault: fault && { ...fault, entry: fault.entry && { id: fault.entry.id, at: fault.entry.at } },
  }
}
