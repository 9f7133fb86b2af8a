import type { Difference, OperatorStore, Staging, StagingScope, Transaction } from '../database/store.ts'
import type { Table } from '../database/table.ts'
import { UserError } from '../lib/user-error.ts'
import { workspaceOrThrow } from '../workspaces/records.ts'
import type { RecordListener } from './parse-records.ts'

export interface ImportContext extends RecordListener {
  store: OperatorStore
  table: Table
  actor: string
}

/** If true, no row, revision or audit entry is written. */
export const changesNothing = ({ created, changed, gone }: Difference): boolean => created + changed + gone === 0

interface StagedChange {
  slug: string
  scope: StagingScope
  /** Throws if the difference must not be written. */
  check(difference: Difference): void
  /** Whether nothing is to be written. */
  stopsAfterPreview(preview: Difference): boolean
  /** Runs in the transaction, once the rows are written. */
  record(tx: Transaction, difference: Difference): Promise<void>
}

/** After this many comparisons that other processes' changes made obsolete, rows are compared within the transaction. */
const MAX_ATTEMPTS = 3

/** Everything slow happens before the transaction. */
export async function storeStaged(
  { store, onProgress }: ImportContext,
  staging: Staging,
  records: number,
  { slug, scope, check, stopsAfterPreview, record }: StagedChange,
): Promise<Difference> {
  onProgress?.('comparing', records)
  const preview = await staging.compare(scope)
  check(preview)
  if (stopsAfterPreview(preview)) return preview
  onProgress?.('storing', records)
  for (let attempt = 1; ; attempt++) {
    await staging.writeAhead(scope)
    const stored = await store.transaction(async (tx) => {
      const { id } = await workspaceOrThrow(tx, slug)
      if (id !== scope.workspaceId) throw new UserError(`${slug} is now another workspace; try again`)
      if (attempt < MAX_ATTEMPTS && !(await staging.isCurrent(scope, tx))) return undefined
      const difference = await staging.compare(scope, tx)
      check(difference)
      if (!changesNothing(difference)) await staging.apply(tx)
      await record(tx, difference)
      return difference
    })
    if (stored !== undefined) return stored
  }
}
