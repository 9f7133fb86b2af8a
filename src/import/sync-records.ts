/*
 * This folder imports data: `import` takes some records of a resource, `sync` a complete snapshot of one source.
 *
 * The path of a snapshot, file by file:
 *   sync-url        fetches it (fetch-snapshot, response-body), unless the server reports that it has not changed
 *   sync-stream     runs a tap or a connector (command-output); message-stream finds the records among its messages
 *   sync-records    takes the source's lock, runs the steps below and records the result
 *   parse-records   reads the file once, and counts bad records:
 *     file-format     detects from the start of the file whether it is CSV, NDJSON, an array or a document
 *     csv-rows, json-records   split it into frames: the text or the cells of one record, with its line
 *     interpretation  turns frames into rows, using Vitrine's own field names; map/mapping uses a map
 *     record-schema   checks a record against the columns of its table
 *   staged-records  stages the rows outside the table, and runs the transaction that writes them
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
import type { Difference, StagingScope, Transaction } from '../database/store.ts'
import { quoted, type Table } from '../database/table.ts'
import { counted, formatCount, named } from '../lib/format-count.ts'
import { InvalidValueError, UserError } from '../lib/user-error.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'
import type { Input } from './frame.ts'
import type { RecordMap } from './map/load-map.ts'
import type { MapReport } from './map/report.ts'
import type { MessageStream } from './message-stream.ts'
import { type Attempt, checkSourceName, recordSynced, revisionOf, type SnapshotDetails } from './sources.ts'
import { changesNothing, type Load, stageRecords, storeStaged, withStaging } from './staged-records.ts'

export interface SyncOptions extends Attempt {
  /** By default a fifth of the source's rows, but at least ten. */
  maxGone?: MaxGone | undefined
  allowEmpty?: boolean | undefined
  /** Fields that the snapshot may lack, though most of the source's rows have them. */
  allowMissing?: readonly string[] | undefined
  dryRun?: boolean | undefined
  map?: RecordMap | undefined
  report?: MapReport | undefined
  snapshot?: SnapshotDetails | undefined
  /** Set if the records arrive among messages. Unless it is complete, no row is removed. */
  stream?: MessageStream | undefined
}

export type SyncCounts = Pick<Difference, 'created' | 'changed' | 'gone' | 'unchanged'>

/** Deletes rows that are not in the snapshot. If nothing changes, only the time of the sync is written. */
export async function syncRecords(load: Load, options: SyncOptions, input: Input): Promise<SyncCounts> {
  const { store, table, actor, clock } = load
  const { workspace: slug, source, dryRun = false, map, report, stream } = options
  checkSourceName(source)
  const { id: workspaceId, timezone } = await store.read((tx) => workspaceOrThrow(tx, slug))
  return withStaging(load, async (staging) => {
    if (!dryRun && !(await staging.lock(`${table.name} of ${source} in ${workspaceId}`)))
      throw new SourceBusyError(`the source ${source} of ${slug} is already being synced; try again later`)
    const reading = { map, timezone, report, stream, isSnapshot: true }
    const records = await stageRecords(load, staging, input, reading, rejection)
    const scope = { workspaceId, source, isPartial: stream?.isComplete === false }
    if (records === 0 && !(scope.isPartial && !stream?.isEmpty) && !options.allowEmpty)
      throw rejection(`the snapshot has no ${table.name}; if that is correct, allow it with --allow-empty`)
    load.onProgress?.('comparing', records)
    const preview = checked(await staging.compare(scope), table, options)
    if (dryRun) return countsOf(preview)
    load.onProgress?.('storing', records)
    return storeStaged(load, staging, scope, slug, async (tx) => {
      const at = clock()
      const difference = checked(await staging.compare(scope, tx), table, options)
      const counts = countsOf(difference)
      const isChange = !changesNothing(difference)
      if (isChange) await staging.apply(tx, at)
      const { created, changed, unchanged } = counts
      const rowCount = scope.isPartial ? await countRowsOf(tx, table, scope) : created + changed + unchanged
      const revision = await revisionOf(tx, workspaceId)
      const snapshot = { ...options.snapshot, rowCount, revision, state: stream?.saved ?? null }
      await recordSynced(tx, table, workspaceId, options, at, snapshot)
      const [action, detail] = [`${table.name}.synced`, { source, ...counts }]
      if (isChange) await appendAudit(tx, { at, workspaceId, actor, action, subject: workspaceId, detail })
      return counts
    })
  })
}

async function countRowsOf(tx: Transaction, { name }: Table, { workspaceId, source }: StagingScope): Promise<number> {
  const sql = `SELECT count(*) AS number FROM ${quoted(name)} WHERE workspace_id = ? AND source = ?`
  const [row] = await tx.all<{ number: number }>(sql, workspaceId, source)
  return Number(row?.number)
}

/** Another process is syncing the source, so nothing is wrong with it. */
export class SourceBusyError extends UserError {
  override name = 'SourceBusyError'
}

/** Too many rows would be deleted; `counts` are those of the rejected sync. */
export class TooManyRemovalsError extends UserError {
  override name = 'TooManyRemovalsError'
  readonly counts: SyncCounts

  constructor(message: string, counts: SyncCounts) {
    super(message)
    this.counts = counts
  }
}

function checked(difference: Difference, table: Table, options: SyncOptions): Difference {
  const { name, singular } = table
  const { repeated, foreign, gone, changed, unchanged } = difference
  // In a stream of messages, a record that was changed meanwhile comes again.
  if (repeated.count > 0 && options.stream === undefined)
    throw rejection(`duplicate ids: ${repeated.ids.map((id) => JSON.stringify(id)).join(', ')}`)
  if (foreign.count > 0) {
    const taken = foreign.rows.map(({ id, source }) => {
      const owner = source === null ? 'imported, or written by another program' : `source ${source}`
      return `${JSON.stringify(id)} (${owner})`
    })
    throw rejection(
      `${counted(foreign.count, 'id does', 'ids do')} not belong to this source: ${named(taken, foreign.count)}; use other ids, or ` +
        `delete those ${name} first with 'vitrine ${singular} delete --workspace ${options.workspace} ID'`,
    )
  }
  const total = gone + changed + unchanged
  const vanished = difference.vanished.filter(({ field }) => !options.allowMissing?.includes(field))
  if (vanished.length > 0) {
    const fields = vanished.map(({ field, rows }) => `${field} (in ${formatCount(rows)} of ${formatCount(total)} now)`)
    const allowed = vanished.map(({ field }) => field).join(',')
    throw rejection(
      `no ${singular} of the snapshot has ${fields.join(', ')}; perhaps a column was renamed; if that is correct, allow it with --allow-missing ${allowed}`,
    )
  }
  const limit = removalLimit(options.maxGone, total)
  if (gone > limit)
    throw new TooManyRemovalsError(
      `nothing was synced: ${formatCount(gone)} of the ${counted(total, singular, name)} of ${options.source} would be removed, ` +
        `and the limit is ${formatCount(limit)}; if that is correct, allow it with --max-gone ${gone}`,
      countsOf(difference),
    )
  return difference
}

const rejection = (why: string) => new UserError(`nothing was synced: ${why}`)

const countsOf = ({ created, changed, gone, unchanged }: Difference): SyncCounts => ({
  created,
  changed,
  gone,
  unchanged,
})

/** A number of rows, or a percentage of the source's rows. */
type MaxGone = { rows: number } | { percent: number }

/** A percentage alone would block any removal from a small source. */
const ALWAYS_ALLOWED = 10
const DEFAULT_PERCENT = 20

const removalLimit = (maxGone: MaxGone | undefined, total: number): number => {
  if (maxGone === undefined) return Math.max(ALWAYS_ALLOWED, shareOf(total, DEFAULT_PERCENT))
  return 'rows' in maxGone ? maxGone.rows : shareOf(total, maxGone.percent)
}

const shareOf = (total: number, percent: number) => Math.floor((total * percent) / 100)

export function parseMaxGone(text: string): MaxGone {
  const [, digits, sign] = /^(\d{1,15})(%?)$/.exec(text) ?? []
  const number = Number(digits)
  if (digits === undefined || (sign === '%' && number > 100))
    throw new InvalidValueError(`--max-gone must be a number, such as 500, or a percentage, such as 50%, not '${text}'`)
  return sign === '%' ? { percent: number } : { rows: number }
}
