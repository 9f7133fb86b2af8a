import { appendAudit } from '../audit/log.ts'
import type { Difference, OperatorStore, Transaction } from '../database/store.ts'
import type { Table } from '../database/table.ts'
import { formatCount } from '../lib/format-count.ts'
import { UserError } from '../lib/user-error.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'
import { changesNothing, counted, named } from './difference.ts'
import type { ImportListener } from './import-records.ts'
import type { RecordMap } from './map/load-map.ts'
import type { MapReport } from './map/report.ts'
import { type MaxGone, mayGo } from './max-gone.ts'
import { checkSourceName, recordSynced, revisionOf, type SnapshotDetails } from './sources.ts'
import { stageRecords, storeStaged } from './staged-records.ts'

export interface SyncOptions {
  /** The workspace's slug. */
  workspace: string
  source: string
  /** How many may go; if left out, a fifth of the source's rows, but ten always. */
  maxGone?: MaxGone | undefined
  allowEmpty?: boolean | undefined
  dryRun?: boolean | undefined
  /** What the snapshot says, if it is not in Vitrine's own words; and what notes how it was understood. */
  map?: RecordMap | undefined
  report?: MapReport | undefined
  /** What is remembered of the snapshot with the source. */
  snapshot?: SnapshotDetails | undefined
}

export interface SyncCounts {
  created: number
  changed: number
  gone: number
  unchanged: number
}

/**
 * Makes the rows of a source what its snapshot says, in one transaction: what is not in the snapshot goes. A snapshot that is
 * cut short, empty, or would remove too much changes nothing. One that changes nothing writes nothing but when that was.
 */
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
  const staging = store.stage(table)
  try {
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
    const write = async (tx: Transaction, difference: Difference) => {
      const [at, counts] = [clock(), countsOf(difference)]
      const isChange = !changesNothing(difference)
      if (isChange) await staging.apply(tx, at)
      const rowCount = counts.created + counts.changed + counts.unchanged
      const revision = isChange ? await revisionOf(tx, workspaceId) : difference.revision
      await recordSynced(tx, table, scope, at, { rowCount, revision, ...options.snapshot })
      const [action, detail] = [`${table.name}.synced`, { source, ...counts }]
      if (isChange) await appendAudit(tx, { at, workspaceId, actor, action, subject: workspaceId, detail })
      return counts
    }
    if (changesNothing(ahead))
      return await store.transaction(async (tx) => {
        await workspaceOrThrow(tx, slug)
        return write(tx, ahead)
      })
    return await storeStaged(store, staging, scope, { slug, now: clock() }, async (tx) =>
      write(tx, checked(await staging.compare(scope, tx), table, options)),
    )
  } finally {
    // A failure here must not hide the outcome: what is staged goes away with the connection, and `doctor` names rows that a large
    // change could not put back.
    await staging.discard().catch(() => {})
  }
}

/** Another process syncs the same source: nothing is wrong with the source. */
export class SourceBusyError extends UserError {
  override name = 'SourceBusyError'
}

/** Refused because too much would go; the counts are those of the sync that was refused. */
export class TooManyGoneError extends UserError {
  override name = 'TooManyGoneError'
  readonly counts: SyncCounts

  constructor(message: string, counts: SyncCounts) {
    super(message)
    this.counts = counts
  }
}

/** Throws if the difference must not be written. */
function checked(difference: Difference, table: Table, options: SyncOptions): Difference {
  const { name, singular } = table
  const { repeated, foreign, gone, changed, unchanged } = difference
  if (repeated.count > 0)
    throw refusal(`the same id comes more than once: ${named(repeated.ids.map(quotedId), repeated.ids.length)}`)
  if (foreign.count > 0) {
    const taken = foreign.rows.map((row) => `${quotedId(row.id)} (${ownerOf(row)})`)
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

const quotedId = (id: string) => JSON.stringify(id)

const ownerOf = ({ source }: { source: string | null }) =>
  source === null ? 'imported, or written by another program' : `source ${source}`

const countsOf = ({ created, changed, gone, unchanged }: Difference): SyncCounts => ({
  created,
  changed,
  gone,
  unchanged,
})
