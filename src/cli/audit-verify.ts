import { Command } from 'commander'
import {
  type ChainFault,
  type ChainReport,
  type ExpectedEntry,
  verifyChain,
  verifyEveryChain,
} from '../audit/verify.ts'
import type { Transaction } from '../database/store.ts'
import { listWorkspaces, workspaceOrThrow } from '../resources/workspace/records.ts'
import type { Context } from './context.ts'
import { ExitCode, UsageError } from './errors.ts'
import { print, printJson, printMessage, verdict } from './output.ts'
import { showCount, withProgress } from './progress.ts'
import { examples } from './usage.ts'

interface Options {
  workspace?: string
  expect?: string
  json?: true
}

/** The result for one workspace. One that is gone has no slug, but keeps its entries. */
type Finding = ChainReport & { slug: string | null }

export const command = ({ withReadingStore }: Context) =>
  new Command('verify')
    .description('verify that no audit entry was changed or removed; otherwise name the first (exit code 1)')
    .option('--workspace <slug>', 'only this workspace')
    .option(
      '--expect <number:hash>',
      'also compare with an entry noted earlier, such as a head printed by this command',
    )
    .option('--json', 'print the findings as JSON, one workspace per line')
    .addHelpText(
      'after',
      '\nAnyone who can write to the database can write a new chain: keep the printed heads elsewhere, and compare.',
    )
    .addHelpText('after', examples('audit verify', 'audit verify --workspace northwind --json'))
    .action(async ({ workspace, expect, json }: Options) => {
      if (expect !== undefined && workspace === undefined)
        throw new UsageError('--expect: needs --workspace, since every workspace has its own chain')
      const expected = expect === undefined ? undefined : parseExpected(expect)
      const findings = await withProgress('verifying the audit log', () =>
        withReadingStore((store) => store.read((tx) => verify(tx, workspace, expected))),
      )
      for (const finding of findings) json ? printJson(asJson(finding)) : print(asLine(finding))
      if (findings.length === 0) printMessage('There are no workspaces yet.')
      if (findings.some(({ fault }) => fault !== null)) process.exitCode = ExitCode.failure
    })

/** Shows how many entries were verified. */
export function entryCounter(): () => void {
  let entries = 0
  return () => showCount('verifying the audit log', ++entries, 'entries')
}

function parseExpected(text: string): ExpectedEntry {
  const match = /^([1-9]\d{0,14}):([0-9a-f]{64})$/.exec(text)
  if (match === null)
    throw new UsageError("--expect: must be a number and a hash, such as 17:5f2c…, as 'audit verify' prints")
  return { number: Number(match[1]), hash: match[2] ?? '' }
}

async function verify(tx: Transaction, slug: string | undefined, expected: ExpectedEntry | undefined) {
  const slugs = new Map((await listWorkspaces(tx)).map((workspace) => [workspace.id, workspace.slug]))
  const reports =
    slug === undefined
      ? await verifyEveryChain(tx, slugs.keys(), entryCounter())
      : [await verifyChain(tx, (await workspaceOrThrow(tx, slug)).id, expected, entryCounter())]
  return reports.map((report): Finding => ({ ...report, slug: slugs.get(report.workspaceId) ?? null }))
}

function asLine({ slug, workspaceId, entries, head, prune, fault }: Finding): string {
  const name = slug ?? `${workspaceId} (no longer there)`
  if (fault !== null) return `${verdict('failed')}  ${name}: ${faultLine(fault)}`
  if (head === undefined) return `${verdict('ok')}  ${name}: no entries`
  const older = prune && ` (those up to ${prune.through} were removed because of their age, the last on ${prune.at})`
  return `${verdict('ok')}  ${name}: ${entries} ${entries === 1 ? 'entry' : 'entries'}${older ?? ''}, head ${head.number}:${head.hash}`
}

function faultLine({ kind, number, entry, message }: ChainFault): string {
  const what = entry === null ? '' : ` (id ${entry.id}, ${entry.at}, ${entry.action} by ${entry.actor})`
  return `entry ${number}${what}, ${kind}: ${message}`.replace(/\p{Cc}/gu, '\uFFFD')
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
