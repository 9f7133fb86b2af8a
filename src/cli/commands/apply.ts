import { isUtf8 } from 'node:buffer'
import { accessSync, appendFileSync, chmodSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { OperatorStore } from '../../database/store.ts'
import { readUpTo } from '../../lib/chunks.ts'
import { counted } from '../../lib/format-count.ts'
import { UserError } from '../../lib/user-error.ts'
import { type ApplyOptions, type ApplyResult, applyWorkspace } from '../../provisioning/apply.ts'
import { type DesiredWorkspace, readDesired } from '../../provisioning/file.ts'
import { defaultPermissions, publishedOf, type Resource } from '../../resources/define.ts'
import { Command } from '../command.ts'
import { actor, type Context } from '../context.ts'
import { isExpected, messageOf } from '../errors.ts'
import { chunksOf } from '../input-file.ts'
import { isJson, print, printMessage, printSecret, toJson } from '../terminal/output.ts'

interface Options {
  dryRun?: boolean
  prune?: boolean
  keysTo?: string
}

/** More than 100,000 workspaces. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_FAULTS_SHOWN = 20

export const command = ({ requireResources, withStore, withUnchangedStore }: Context) =>
  new Command('apply')
    .description('create and update workspaces, members and keys from a file; anything it leaves out stays unchanged')
    .argument('<file>', '{"workspaces": […]} as JSON, or one workspace per line; - reads stdin')
    .option('--dry-run', 'only show what would be done')
    .option('--prune', "also remove members and revoke keys that a workspace's lists leave out")
    .option('--keys-to <file>', 'append new keys to this file, readable only by you, instead of printing them')
    .examples('apply workspaces.json --dry-run', 'apply workspaces.json --keys-to keys.ndjson')
    .withResult(async (file: string, { dryRun = false, prune = false, keysTo }: Options) => {
      // Otherwise, permissions of resources that could not be loaded would be unknown.
      const resources = requireResources()
      const { workspaces, faults } = await readFile(file, publishedOf(resources))
      for (const fault of faults.slice(0, MAX_FAULTS_SHOWN)) printMessage(fault)
      const inFile = faults.length === 0 ? [] : [`the file has ${counted(faults.length, 'fault')}`]
      if (inFile.length > 0 && !dryRun) throw new UserError(`nothing was changed: ${inFile}`)
      if (dryRun && keysTo !== undefined) checkKeysFile(keysTo)
      const appendKeys = dryRun || keysTo === undefined ? undefined : openKeysFile(keysTo)
      const printer = keyPrinter()
      const permissions = defaultPermissions(resources)
      const options = { actor: actor(), permissions, prune, dryRun, handOver: appendKeys ?? printer.handOver }
      const work = (store: OperatorStore) => applyAll(store, workspaces, options)
      const results = await (dryRun ? withUnchangedStore(work) : withStore(work, { create: true }))
      report(results, dryRun, dryRun || appendKeys !== undefined ? '{' : printer.endOfKeys())
      const failed = results.filter(({ result }) => result === 'failed')
      const notApplied = failed.length === 0 ? [] : [`${counted(failed.length, 'workspace')} not applied`]
      const problems = [...inFile, ...notApplied]
      if (problems.length > 0) throw new UserError(problems.join(', and '))
    })

async function readFile(file: string, readable: readonly Resource[]) {
  const content = await readUpTo(chunksOf(file), MAX_BYTES)
  if (content === undefined) throw new UserError(`the file is larger than ${MAX_BYTES / 1024 ** 2} MiB; split it`)
  if (!isUtf8(content)) throw new UserError('nothing was changed: the file is not UTF-8 text')
  return readDesired(new TextDecoder().decode(content), readable)
}

interface Applied extends Omit<ApplyResult, 'result'> {
  slug: string
  result: ApplyResult['result'] | 'failed'
  error?: string
}

interface RunOptions extends ApplyOptions {
  dryRun: boolean
  /** Takes the keys that a workspace gets, each as JSON. */
  handOver(keys: readonly string[]): void
}

/** Each workspace in its own transaction: one that fails does not keep the others from being applied. */
async function applyAll(store: OperatorStore, workspaces: DesiredWorkspace[], options: RunOptions): Promise<Applied[]> {
  const results: Applied[] = []
  for (const desired of workspaces) {
    const { slug } = desired
    try {
      results.push({ slug, ...(await applyOne(store, desired, options)) })
    } catch (error) {
      results.push({ slug, result: 'failed', changes: [], tokens: [], error: messageOf(error) })
      // Stops, but still reports the keys that were created.
      if (!isExpected(error)) break
    }
  }
  return results
}

class DryRun extends Error {}

async function applyOne(store: OperatorStore, desired: DesiredWorkspace, options: RunOptions): Promise<ApplyResult> {
  let applied: ApplyResult | undefined
  try {
    return await store.transaction(async (tx) => {
      applied = await applyWorkspace(tx, desired, options)
      // Rolls back.
      if (options.dryRun) throw new DryRun()
      // Before the commit: a key whose token no one has could only be replaced.
      if (applied.tokens.length > 0) {
        options.handOver(applied.tokens.map((token) => toJson(token)))
        // A failed write is reported in the next turn, and ends the program.
        await setImmediate()
      }
      return applied
    })
  } catch (error) {
    if (error instanceof DryRun && applied !== undefined) return applied
    throw error
  }
}

/** With --json, new keys are the first member of the result: those already created are printed even if the command is killed. */
function keyPrinter() {
  const advice = 'rotate the new keys'
  let start = '{"keys":['
  return {
    handOver(keys: readonly string[]): void {
      if (isJson()) printSecret(start + keys.join(','), advice, '')
      else printSecret(keys.join('\n'), advice)
      start = ','
    },
    endOfKeys: () => (start === ',' ? '],' : `${start}],`),
  }
}

const checkKeysFile = (path: string): void => accessSync(existsSync(path) ? path : dirname(path), constants.W_OK)

/** Returns a function that appends, because another command may write to the same file. A file that cannot be written is reported now. */
function openKeysFile(path: string): RunOptions['handOver'] {
  if (existsSync(path)) {
    appendFileSync(path, '')
    chmodSync(path, 0o600)
  } else checkKeysFile(path)
  // A full disk may have stopped an earlier command in the middle of a line.
  const isRegular = statSync(path, { throwIfNoEntry: false })?.isFile()
  let separator = isRegular && /[^\n]$/.test(readFileSync(path, 'latin1')) ? '\n' : ''
  return (keys) => {
    appendFileSync(path, `${separator}${keys.join('\n')}\n`, { mode: 0o600, flush: true })
    separator = ''
  }
}

function report(results: readonly Applied[], dryRun: boolean, startOfJson: string): void {
  const counts = { created: 0, changed: 0, unchanged: 0, failed: 0 }
  for (const { result } of results) counts[result]++
  if (isJson()) {
    const workspaces = results.map(({ tokens: _, ...result }) => result)
    print(startOfJson + toJson({ dryRun, ...counts, workspaces }).slice(1))
    return
  }
  for (const { slug, changes, error } of results) {
    if (error !== undefined) printMessage(`${slug}: not applied: ${error}`)
    for (const change of changes) printMessage(`${slug}: ${change}`)
  }
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${name}`)
  printMessage(`${dryRun ? 'Dry run, nothing was changed. Workspaces: ' : 'Workspaces: '}${parts.join(', ')}.`)
}
