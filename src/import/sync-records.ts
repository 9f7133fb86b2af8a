/*
 * This folder imports data: `import` takes some records of a resource, `sync` a complete snapshot of one source.
 *
 * The path of a snapshot, file by file:
 *   sync-records    takes the source's lock, opens the snapshot, runs the steps below and records the result
 *   snapshot/       where it comes from: open-url fetches it (fetch, response-body) page by page;
 *                   command-output runs a program and reads what it prints
 *   parse-records   reads the file once, and counts bad records
 *   format/         open-file detects whether it is CSV, NDJSON, an array or a document; csv and json split it into frames: the
 *                   text or the cells of one record, with its line
 *   record-schema   turns records into rows, using Vitrine's own field names, and checks them; map/ does this with a map
 *   import-records  imports; its storeStaged is the transaction that compares the staged rows again and writes the differences
 *   sources         records when each source was synced, from where, and why it failed
 *
 * Rows are staged without a lock, however slowly the file arrives. They are compared with the stored rows before the
 * transaction, and again within it if the workspace was changed meanwhile. Only differences are written.
 *
 * Invariants:
 * - All or nothing. A file that is truncated or has a bad record changes nothing, and neither does a killed process.
 * - A sync writes only rows of its own source, and an import only rows without a source.
 * - Rows that already match the file are not written, so the revision does not change and no audit entry is added.
 * - Memory is bounded: a record is at most 1 MiB, a document 64 MiB, a response 1 GiB. Only documents are held in memory whole.
 * - Only one process at a time syncs a source. The snapshot is fetched under that lock: otherwise, an older response could
 *   undo a newer sync.
 *
 * Risks: an export of half of a tracker's tasks looks as if the others were deleted. So anything that might be a partial
 * snapshot is rejected: no declared length, an unclosed array or quote, an empty file, a further page, a field that no record has
 * any more, or more removals than --max-gone allows. NDJSON or CSV that ends between two records cannot be distinguished from a complete file.
 */
import { appendAudit } from '../audit/log.ts'
import { counted, formatCount, named } from '../lib/format-count.ts'
import { isoOf } from '../lib/instant.ts'
import { InvalidValueError, UserError } from '../lib/user-error.ts'
import type { List } from '../lists/definition.ts'
import type { RowDifference } from '../lists/stored/comparison.ts'
import { StagedItems } from '../lists/stored/staged-items.ts'
import { workspaceOrThrow } from '../workspaces/records.ts'
import type { InputPart } from './format/frame.ts'
import { changesNothing, type ImportContext, storeStaged } from './import-records.ts'
import type { MapReport } from './map/report.ts'
import { parseRecords } from './parse-records.ts'
import type { UrlOptions } from './snapshot/open-url.ts'
import { type Attempt, checkSourceName, recordSynced } from './sources.ts'

export interface SyncOptions extends Attempt, UrlOptions {
  /** Used instead of `firstPart`. */
  url?: URL | undefined
  /** The input: files, or the output of a command. */
  firstPart(): InputPart
  /** By default a fifth of the source's rows, but at least ten. */
  maxGone?: MaxGone | undefined
  allowEmpty?: boolean | undefined
  /** Fields that the snapshot may lack, though most of the source's rows have them. */
  allowMissing?: readonly string[] | undefined
  dryRun?: boolean | undefined
  report?: MapReport | undefined
}

/** A number of rows, or a percentage of the source's rows. */
type MaxGone = { rows: number } | { percent: number }

export function parseMaxGone(text: string): MaxGone {
  const [, digits, sign] = /^(\d{1,15})(%?)$/.exec(text) ?? []
  const number = Number(digits)
  if (digits === undefined || (sign === '%' && number > 100))
    throw new InvalidValueError(`--max-gone must be a number, such as 500, or a percentage, such as 50%, not '${text}'`)
  return sign === '%' ? { percent: number } : { rows: number }
}

async function openSnapshot(options: SyncOptions): Promise<InputPart> {
  if (options.url === undefined) return options.firstPart()
  const { openUrl } = await import('./snapshot/open-url.ts')
  return openUrl(options.url, options)
}

export type SyncCounts = Pick<RowDifference, 'created' | 'changed' | 'gone' | 'unchanged'>

/** Deletes rows that are not in the snapshot. If nothing changes, only the time of the sync is written. */
export async function syncRecords(context: ImportContext, options: SyncOptions): Promise<SyncCounts> {
  const { store, actor } = context
  const list = store.listInUse(context.list)
  const { workspace: slug, source, dryRun = false, map, report } = options
  checkSourceName(source)
  const { workspaceId, timezone, now } = await store.read(async (tx) => {
    const { id, timezone } = await workspaceOrThrow(tx, slug)
    return { workspaceId: id, timezone, now: isoOf(tx.nowMs) }
  })
  await using lock = dryRun ? undefined : await store.lock(`${list.name} of ${source} in ${workspaceId}`)
  if (!dryRun && lock === undefined)
    throw new SourceBusyError(`the source ${source} of ${slug} is already being synced; try again later`)
  // Under the lock: an older response could undo a newer sync.
  const firstPart = await openSnapshot(options)
  using staged = new StagedItems(list, now)
  const parsing = { list, listener: context, staged, map, timezone, report, isSnapshot: true }
  const records = await parseRecords(firstPart, parsing)
  const scope = { workspaceId, source }
  if (records === 0 && !options.allowEmpty)
    throw failure(`the snapshot has no ${list.name}; if that is correct, allow it with --allow-empty`)
  const preview = await store.read((tx) => staged.compare(tx, scope))
  guard(preview, list, options)
  if (dryRun) return countsOf(preview)
  // Awaited here: on return, the staged rows are discarded.
  return await storeStaged(context, staged, slug, scope, async (tx, { difference, write }) => {
    guard(difference, list, options)
    const isChange = !changesNothing(difference)
    if (isChange) await write()
    const { created, changed, unchanged } = difference
    await recordSynced(tx, list, workspaceId, options, created + changed + unchanged)
    const [action, detail] = [`${list.name}.synced`, { source, ...countsOf(difference) }]
    if (isChange) await appendAudit(tx, { workspaceId, actor, action, subject: workspaceId, detail })
    return countsOf(difference)
  })
}

/** Another process is syncing the source, so nothing is wrong with it. */
export class SourceBusyError extends UserError {
  override name = 'SourceBusyError'
}

/** Refuses what is more likely a mistake at the source than a change. */
function guard(difference: RowDifference, { name, singular }: List, options: SyncOptions): void {
  const { repeated, foreign, gone, changed, unchanged } = difference
  if (repeated.count > 0) throw failure(`duplicate ids: ${repeated.ids.map((id) => JSON.stringify(id)).join(', ')}`)
  if (foreign.count > 0) {
    const taken = foreign.rows.map(({ id, source }) => {
      const owner = source === null ? 'imported' : `source ${source}`
      return `${JSON.stringify(id)} (${owner})`
    })
    throw failure(
      `${counted(foreign.count, 'id does', 'ids do')} not belong to this source: ${named(taken, foreign.count)}; use other ids, or ` +
        `delete those ${name} first with 'vitrine ${singular} delete --workspace ${options.workspace} ID'`,
    )
  }
  const total = gone + changed + unchanged
  const vanished = difference.vanished.filter(({ field }) => !options.allowMissing?.includes(field))
  if (vanished.length > 0) {
    const fields = vanished.map(({ field, rows }) => `${field} (in ${formatCount(rows)} of ${formatCount(total)} now)`)
    const allowed = vanished.map(({ field }) => field).join(',')
    throw failure(
      `no ${singular} of the snapshot has ${fields.join(', ')}; perhaps a column was renamed; if that is correct, allow it with --allow-missing ${allowed}`,
    )
  }
  const limit = removalLimit(options.maxGone, total)
  if (gone > limit)
    throw failure(
      `${formatCount(gone)} of the ${counted(total, singular, name)} of ${options.source} would be removed, ` +
        `and the limit is ${formatCount(limit)}; if that is correct, allow it with --max-gone ${gone}`,
    )
}

const failure = (why: string) => new UserError(`nothing was synced: ${why}`)

function countsOf({ created, changed, gone, unchanged }: RowDifference): SyncCounts {
  return { created, changed, gone, unchanged }
}

/** A percentage on its own would block any removal from a small source. */
const ALWAYS_ALLOWED = 10
const DEFAULT_PERCENT = 20

const removalLimit = (maxGone: MaxGone | undefined, total: number): number => {
  if (maxGone === undefined) return Math.max(ALWAYS_ALLOWED, shareOf(total, DEFAULT_PERCENT))
  return 'rows' in maxGone ? maxGone.rows : shareOf(total, maxGone.percent)
}

const shareOf = (total: number, percent: number) => Math.floor((total * percent) / 100)
