/*
 * This folder brings data in: `import` takes some records of a resource, `sync` a whole snapshot of one source.
 *
 * The way of a snapshot, file by file:
 *   sync-url        fetches it (fetch-snapshot, response-body), unless the server reports that it has not changed
 *   sync-records    takes the source's lock, runs the steps below and records what came of them
 *   parse-records   goes through the file once, and counts what is bad:
 *     file-format     tells by how the file begins whether it is CSV, lines, an array or a document
 *     csv-rows, json-records   cut it into frames: the text or the cells of one record, with its line
 *     interpretation  makes rows of them by Vitrine's own field names; map/mapping does it by a map
 *     record-schema   checks a record against the columns of its table
 *   staged-records  puts the rows beside the table, and runs the transaction that writes them
 *   sources         remembers when each source was synced, from where, and why it failed
 *
 * Rows are staged outside their table without a lock, however slowly the file arrives. They are compared with what is there
 * before the transaction, and again within it if the workspace was changed meanwhile. Only what differs is written.
 *
 * What always holds:
 * - All or nothing. A file with one bad record, or one that is cut short, changes nothing; neither does a process that is
 *   killed.
 * - A sync writes only rows of its own source, and an import only rows of none.
 * - What is as the file says is not written: no revision moves, and no audit entry is added.
 * - Memory is bounded: a record has 1 MiB at most, a document 64 MiB, a response 1 GiB, and only a document is held whole.
 * - One process at a time syncs a source. The snapshot is fetched under that lock: an older response could otherwise undo a
 *   newer sync.
 *
 * What may go wrong: a tracker that exports half of its tasks looks like one in which the others were deleted. So everything
 * that could be a part of a snapshot is refused: no end announced, an array or a quote left open, an empty file, or more rows
 * that would go than --max-gone allows. NDJSON or CSV that ends between two records cannot be told from a whole file.
 */
import { appendAudit } from '../audit/log.ts'
import type { Difference, OperatorStore } from '../database/store.ts'
import type { Table } from '../database/table.ts'
import { counted, formatCount, named } from '../lib/format-count.ts'
import { InvalidValueError, UserError } from '../lib/user-error.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'
import type { ImportListener } from './import-records.ts'
import type { RecordMap } from './map/load-map.ts'
import type { MapReport } from './map/report.ts'
import { checkSourceName, recordSynced, revisionOf, type SnapshotDetails } from './sources.ts'
import { changesNothing, stageRecords, storeStaged, withStaging } from './staged-records.ts'

export interface SyncOptions {
  /** The workspace's slug. */
  workspace: string
  source: string
  /** By default a fifth of the source's rows, but at least ten. */
  maxGone?: MaxGone | undefined
  allowEmpty?: boolean | undefined
  dryRun?: boolean | undefined
  map?: RecordMap | undefined
  report?: MapReport | undefined
  snapshot?: SnapshotDetails | undefined
}

export type SyncCounts = Pick<Difference, 'created' | 'changed' | 'gone' | 'unchanged'>

/** Rows that are not in the snapshot are deleted. If nothing changes, only the time of the sync is written. */
export async function syncRecords(
  store: OperatorStore,
  table: Table,
  options: SyncOptions,
  chunks: AsyncIterable<Buffer>,
  actor: string,
  clock: () => string,
  listener: ImportListener,
): Promise<SyncCounts> {
  const { workspace: slug, source, dryRun = false, map, report } = options
  checkSourceName(source)
  const { id: workspaceId, timezone } = await store.read((tx) => workspaceOrThrow(tx, slug))
  const scope = { workspaceId, source }
  return withStaging(store, table, async (staging) => {
    if (!dryRun && !(await staging.lock(`${table.name} of ${source} in ${workspaceId}`)))
      throw new SourceBusyError(`the source ${source} of ${slug} is being synced already; try again when that is done`)
    const reading = { map, timezone, report, mayBeEmpty: true }
    const records = await stageRecords(staging, chunks, table, listener, reading, refusal)
    if (records === 0 && !options.allowEmpty)
      throw refusal(`the snapshot has no ${table.name}; if that is right, allow it with --allow-empty`)
    listener.onPhase('comparing')
    const ahead = checked(await staging.compare(scope), table, options)
    if (dryRun) return countsOf(ahead)
    listener.onPhase('storing')
    return storeStaged(store, staging, scope, { slug, now: clock() }, async (tx) => {
      const at = clock()
      const difference = checked(await staging.compare(scope, tx), table, options)
      const counts = countsOf(difference)
      const isChange = !changesNothing(difference)
      if (isChange) await staging.apply(tx, at)
      const rowCount = counts.created + counts.changed + counts.unchanged
      const revision = await revisionOf(tx, workspaceId)
      await recordSynced(tx, table, scope, at, { rowCount, revision, ...options.snapshot })
      const [action, detail] = [`${table.name}.synced`, { source, ...counts }]
      if (isChange) await appendAudit(tx, { at, workspaceId, actor, action, subject: workspaceId, detail })
      return counts
    })
  })
}

/** Another process is syncing the source, so nothing is wrong with it. */
export class SourceBusyError extends UserError {
  override name = 'SourceBusyError'
}

/** Too many rows would be deleted; the counts are those of the refused sync. */
export class TooManyGoneError extends UserError {
  override name = 'TooManyGoneError'
  readonly counts: SyncCounts

  constructor(message: string, counts: SyncCounts) {
    super(message)
    this.counts = counts
  }
}

function checked(difference: Difference, table: Table, options: SyncOptions): Difference {
  const { name, singular } = table
  const { repeated, foreign, gone, changed, unchanged } = difference
  if (repeated.count > 0)
    throw refusal(`the same id comes more than once: ${repeated.ids.map((id) => JSON.stringify(id)).join(', ')}`)
  if (foreign.count > 0) {
    const taken = foreign.rows.map(({ id, source }) => {
      const owner = source === null ? 'imported, or written by another program' : `source ${source}`
      return `${JSON.stringify(id)} (${owner})`
    })
    throw refusal(
      `${counted(foreign.count, 'id is', 'ids are')} not of this source: ${named(taken, foreign.count)}; give them other ids, or ` +
        `delete those ${name} first with 'vitrine ${singular} delete --workspace ${options.workspace} ID'`,
    )
  }
  const total = gone + changed + unchanged
  const atMost = mayGo(options.maxGone, total)
  if (gone > atMost)
    throw new TooManyGoneError(
      `nothing was synced: ${formatCount(gone)} of the ${counted(total, singular, name)} of ${options.source} would go, ` +
        `and at most ${formatCount(atMost)} may; if that is right, allow it with --max-gone ${gone}`,
      countsOf(difference),
    )
  return difference
}

const refusal = (why: string) => new UserError(`nothing was synced: ${why}`)

const countsOf = ({ created, changed, gone, unchanged }: Difference): SyncCounts => ({
  created,
  changed,
  gone,
  unchanged,
})

/** A number of rows, or a share of the source's rows. */
type MaxGone = { rows: number } | { percent: number }

/** A share alone would stop every change of a small source. */
const ALWAYS_ALLOWED = 10
const DEFAULT_PERCENT = 20

const mayGo = (maxGone: MaxGone | undefined, total: number): number => {
  if (maxGone === undefined) return Math.max(ALWAYS_ALLOWED, shareOf(total, DEFAULT_PERCENT))
  return 'rows' in maxGone ? maxGone.rows : shareOf(total, maxGone.percent)
}

const shareOf = (total: number, percent: number) => Math.floor((total * percent) / 100)

export function parseMaxGone(text: string): MaxGone {
  const [, digits, sign] = /^(\d{1,15})(%?)$/.exec(text) ?? []
  const number = Number(digits)
  if (digits === undefined || (sign === '%' && number > 100))
    throw new InvalidValueError(`--max-gone must be a number, such as 500, or a share, such as 50%, not '${text}'`)
  return sign === '%' ? { percent: number } : { rows: number }
}
