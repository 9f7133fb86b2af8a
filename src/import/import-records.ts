import { appendAudit } from '../audit/log.ts'
import type { Difference } from '../database/store.ts'
import type { Table } from '../database/table.ts'
import { counted, named } from '../lib/format-count.ts'
import { UserError } from '../lib/user-error.ts'
import { workspaceOrThrow } from '../resources/workspace/records.ts'
import type { Input } from './frame.ts'
import type { RecordMap } from './map/load-map.ts'
import { changesNothing, type Load, stageRecords, storeStaged, withStaging } from './staged-records.ts'

/** A record whose id is repeated later in the file counts as replaced. */
export interface ImportCounts {
  created: number
  replaced: number
  deleted: number
  unchanged: number
}

/** Imports all or nothing. No lock is held while the file is read, however slowly it arrives; one transaction writes it. */
export async function importRecords(load: Load, slug: string, input: Input, map?: RecordMap): Promise<ImportCounts> {
  const { store, table, actor, clock } = load
  // Report a misspelt workspace before reading a long file.
  const { id: workspaceId, timezone } = await store.read((tx) => workspaceOrThrow(tx, slug))
  const scope = { workspaceId, source: null }
  return withStaging(load, async (staging) => {
    const records = await stageRecords(load, staging, input, { map, timezone, deletions: true }, rejection)
    load.onProgress?.('comparing', records)
    const ahead = checked(await staging.compare(scope), table, slug)
    if (changesNothing(ahead)) return countsOf(ahead)
    load.onProgress?.('storing', records)
    return storeStaged(load, staging, scope, slug, async (tx) => {
      const at = clock()
      const difference = checked(await staging.compare(scope, tx), table, slug)
      const counts = countsOf(difference)
      if (changesNothing(difference)) return counts
      await staging.apply(tx, at)
      const action = `${table.name}.imported`
      await appendAudit(tx, { at, workspaceId, actor, action, subject: workspaceId, detail: { ...counts } })
      return counts
    })
  })
}

/** The next sync would undo an import of synced rows. */
function checked(difference: Difference, { name, singular }: Table, slug: string): Difference {
  const { count, rows } = difference.foreign
  if (count === 0) return difference
  const owned = rows.map(({ id, source }) => `${JSON.stringify(id)} (source ${source})`)
  throw rejection(
    `${counted(count, `${singular} belongs`, `${name} belong`)} to a source, whose next sync would undo the import: ` +
      `${named(owned, count)}; change ${count === 1 ? 'it' : 'them'} there, or delete first with 'vitrine ${singular} delete --workspace ${slug} ID'`,
  )
}

const rejection = (why: string) => new UserError(`nothing was imported: ${why}`)

const countsOf = ({ created, changed, gone, unchanged, repeated }: Difference): ImportCounts => ({
  created,
  replaced: changed + repeated.count,
  deleted: gone,
  unchanged,
})
