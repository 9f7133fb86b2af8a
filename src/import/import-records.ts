import { appendAudit } from '../audit/log.ts'
import type { OperatorStore, Transaction } from '../database/store.ts'
import { counted, named } from '../lib/format-count.ts'
import { isoOf } from '../lib/instant.ts'
import { UserError } from '../lib/user-error.ts'
import type { List } from '../lists/definition.ts'
import type { RowDifference, SourceScope } from '../lists/stored/comparison.ts'
import { type StagedChanges, StagedItems } from '../lists/stored/staged-items.ts'
import { workspaceOrThrow } from '../workspaces/records.ts'
import type { InputPart } from './format/frame.ts'
import type { RecordMap } from './map/load-map.ts'
import type { MapReport } from './map/report.ts'
import { parseRecords, type RecordListener } from './parse-records.ts'

export interface ImportContext extends RecordListener {
  store: OperatorStore
  list: List
  actor: string
}

/** Imports all or nothing. No lock is held while the file is read, however slowly it arrives; one transaction writes it. */
export async function importRecords(
  context: ImportContext,
  slug: string,
  first: InputPart,
  map?: RecordMap,
  report?: MapReport,
) {
  const { store, actor } = context
  const list = store.listInUse(context.list)
  // Report a misspelt workspace before reading a long file.
  const { workspaceId, timezone, now } = await store.read(async (tx) => {
    const { id, timezone } = await workspaceOrThrow(tx, slug)
    return { workspaceId: id, timezone, now: isoOf(tx.nowMs) }
  })
  using staged = new StagedItems(list, now)
  const parsing = { list, listener: context, staged, map, report, timezone, deletions: true }
  await parseRecords(first, parsing)
  const scope = { workspaceId, source: null }
  const preview = await store.read((tx) => staged.compare(tx, scope))
  checkOwned(preview.foreign, list, slug)
  if (changesNothing(preview)) return countsOf(preview)
  // Awaited here: on return, the staged rows are discarded.
  return await storeStaged(context, staged, slug, scope, async (tx, { difference, write }) => {
    checkOwned(difference.foreign, list, slug)
    const counts = countsOf(difference)
    if (changesNothing(difference)) return counts
    await write()
    const [action, detail] = [`${list.name}.imported`, { ...counts }]
    await appendAudit(tx, { workspaceId, actor, action, subject: workspaceId, detail })
    return counts
  })
}

/** The next sync would undo an import of synced rows. */
function checkOwned({ count, rows }: RowDifference['foreign'], { name, singular }: List, slug: string): void {
  if (count === 0) return
  const owned = rows.map(({ id, source }) => `${JSON.stringify(id)} (source ${source})`)
  throw new UserError(
    `nothing was imported: ${counted(count, `${singular} belongs`, `${name} belong`)} to a source, whose next sync would undo the import: ` +
      `${named(owned, count)}; change ${count === 1 ? 'it' : 'them'} there, or delete first with 'vitrine ${singular} delete --workspace ${slug} ID'`,
  )
}

export type ImportCounts = ReturnType<typeof countsOf>

/** A record whose id is repeated later in the file counts as replaced. */
const countsOf = ({ created, changed, gone, unchanged, repeated }: RowDifference) => ({
  created,
  replaced: changed + repeated.count,
  deleted: gone,
  unchanged,
})

/** If true, no row, revision or audit entry is written. */
export const changesNothing = ({ created, changed, gone }: RowDifference): boolean => created + changed + gone === 0

/** `write` gets the difference as it is in the transaction: rows that were changed meanwhile are compared again. */
export function storeStaged<T>(
  { store, onProgress }: ImportContext,
  staged: StagedItems,
  slug: string,
  scope: SourceScope,
  write: (tx: Transaction, changes: StagedChanges) => Promise<T>,
): Promise<T> {
  return store.transaction(async (tx) => {
    const { id } = await workspaceOrThrow(tx, slug)
    if (id !== scope.workspaceId) throw new UserError(`${slug} is now another workspace; try again`)
    const changes = await staged.begin(tx, scope, (rows, all) => onProgress?.('stored', rows, all))
    return write(tx, changes)
  })
}
