import { appendAudit } from '../audit/log.ts'
import type { Difference } from '../database/store.ts'
import type { Table } from '../database/table.ts'
import { counted, named } from '../lib/format-count.ts'
import { UserError } from '../lib/user-error.ts'
import { workspaceOrThrow } from '../workspaces/records.ts'
import type { InputPart } from './format/frame.ts'
import type { RecordMap } from './map/load-map.ts'
import { parseRecords } from './parse-records.ts'
import { changesNothing, type ImportContext, storeStaged } from './store-staged.ts'

/** Imports all or nothing. No lock is held while the file is read, however slowly it arrives; one transaction writes it. */
export async function importRecords(context: ImportContext, slug: string, first: InputPart, map?: RecordMap) {
  const { store, table, actor } = context
  // Report a misspelt workspace before reading a long file.
  const { id: workspaceId, timezone } = await store.read((tx) => workspaceOrThrow(tx, slug))
  await using staging = store.stage(table)
  const parsing = { table, listener: context, staging, map, timezone, deletions: true }
  const { records } = await parseRecords(first, parsing)
  const scope = { workspaceId, source: null }
  context.onProgress?.('comparing', records)
  const preview = await staging.compare(scope)
  checkOwned(preview.foreign, table, slug)
  if (changesNothing(preview)) return countsOf(preview)
  context.onProgress?.('storing', records)
  // Awaited here: on return, the staged rows are discarded.
  return await storeStaged(store, staging, slug, scope, async (tx, difference) => {
    checkOwned(difference.foreign, table, slug)
    const counts = countsOf(difference)
    if (changesNothing(difference)) return counts
    await staging.apply(tx)
    const [action, detail] = [`${table.name}.imported`, { ...counts }]
    await appendAudit(tx, { workspaceId, actor, action, subject: workspaceId, detail })
    return counts
  })
}

/** The next sync would undo an import of synced rows. */
function checkOwned({ count, rows }: Difference['foreign'], { name, singular }: Table, slug: string): void {
  if (count === 0) return
  const owned = rows.map(({ id, source }) => `${JSON.stringify(id)} (source ${source})`)
  throw new UserError(
    `nothing was imported: ${counted(count, `${singular} belongs`, `${name} belong`)} to a source, whose next sync would undo the import: ` +
      `${named(owned, count)}; change ${count === 1 ? 'it' : 'them'} there, or delete first with 'vitrine ${singular} delete --workspace ${slug} ID'`,
  )
}

export type ImportCounts = ReturnType<typeof countsOf>

/** A record whose id is repeated later in the file counts as replaced. */
const countsOf = ({ created, changed, gone, unchanged, repeated }: Difference) => ({
  created,
  replaced: changed + repeated.count,
  deleted: gone,
  unchanged,
})
